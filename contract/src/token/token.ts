import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { newToken, rotation, tokenEdit } from './token-input.ts';
import { credits, id, idParam, seconds } from '../values.ts';
import { capUse, tokenLimits, tokenMetadata } from './token-limits.ts';

/** The key of a token before its last rotation. */
export const oldKey = z.object({
  /** Masked. */
  key: z.string(),
  /** Until then it works; in the past: it has ended. */
  valid_until: seconds,
  /** Last use; 0 = not known. */
  used_time: seconds,
  used_ip: z.string(),
});
export type OldKey = z.infer<typeof oldKey>;

/** A token of a user. `key` is masked, without `sk-`; `create` and `reveal` return the key with it. */
export const token = z.object({
  id,
  user_id: id,
  /** Of a team's token: the member who holds it. */
  member_id: z.nullable(id),
  holder: z.string(),
  name: z.string(),
  key: z.string(),
  status: z.int(),
  created_time: seconds,
  /** Last use, with any of its keys; 0 = never used. */
  accessed_time: seconds,
  /** When it got its present key; 0 = with its creation. */
  rotated_time: seconds,
  /** Last use of the present key, a few seconds late; 0 = not known. */
  key_used_time: seconds,
  key_used_ip: z.string(),
  /** Null before the first rotation. */
  old_key: z.nullable(oldKey),
  /** -1 = never. */
  expired_time: seconds,
  remain_quota: credits,
  unlimited_quota: z.boolean(),
  used_quota: credits,
  group: z.string(),
  enable_cache: z.boolean(),
  /** Hours for which responses are kept here; null: as the site's setting `ResponseStoreHours` says. */
  response_store_hours: z.nullable(z.int()),
  /** Cost centre. */
  tag: z.string(),
  note: z.string(),
  metadata: tokenMetadata,
  limits: tokenLimits,
  /** Each cap, of the token or its user group, with its use. */
  use: z.array(capUse),
  /** The same limits under the names of one-api, new-api and one-hub. */
  models: z.string(),
  subnet: z.string(),
  model_limits: z.string(),
  model_limits_enabled: z.boolean(),
  allow_ips: z.string(),
  setting: z.object({
    limits: z.object({
      limit_model_setting: z.object({ enabled: z.boolean(), models: z.array(z.string()) }),
      limits_ip_setting: z.object({ enabled: z.boolean(), whitelist: z.array(z.string()) }),
    }),
  }),
});
export type Token = z.infer<typeof token>;

const withId = z.object({ id: idParam });
/** With the prefix `sk-`. */
const wholeKey = z.object({ key: z.string() });
const tokenWithKey = z.object({ token, key: z.string() });

export const tokenColumns = [
  'id',
  'name',
  'status',
  'expired_time',
  'created_time',
  'accessed_time',
  'remain_quota',
  'used_quota',
] as const;

export const tokenSchemas = {
  list: {
    audience: 'user',
    summary:
      'List your tokens; keys are masked. `keyword` matches the start of a name or tag, or the last 4 characters of a key',
    query: z.extend(listQuery(tokenColumns), {
      keyword: textFilter,
      status: numberFilter,
      tag: textFilter,
      member_id: numberFilter,
    }),
    reply: pageOf(token),
  },
  get: {
    audience: 'user',
    summary: 'Get one of your tokens',
    params: withId,
    reply: token,
  },
  create: {
    audience: 'user',
    summary:
      'Create a token; returns its key. With an `Idempotency-Key` header, a repeated request within 24 hours returns the same token. Administrators may give the key, such as one of another server',
    body: newToken,
    reply: tokenWithKey,
  },
  rotate: {
    audience: 'user',
    summary:
      'Give one of your tokens a new key; the old one works until the given time, at most 30 days. An `Idempotency-Key` header works as in the creation',
    params: withId,
    body: rotation,
    reply: tokenWithKey,
  },
  revokeOldKey: {
    audience: 'user',
    summary: 'End the old key of a rotated token at once',
    params: withId,
    reply: token,
  },
  tags: {
    audience: 'user',
    summary: 'List the tags of your tokens',
    reply: z.array(z.string()),
  },
  reveal: {
    audience: 'user',
    summary: 'Reveal the key of one of your tokens',
    params: withId,
    reply: wholeKey,
  },
  playground: {
    audience: 'user',
    summary: 'Key of your token `sys_playground`, created on demand; only in family mode',
    changes: true,
    reply: z.string(),
  },
  update: {
    audience: 'user',
    summary: 'Update one of your tokens',
    query: z.object({ status_only: textFilter }),
    body: tokenEdit,
    reply: token,
  },
  remove: {
    audience: 'user',
    summary: 'Delete one of your tokens; its key stops working at once',
    params: withId,
  },
} as const satisfies SchemasByEndpoint;
