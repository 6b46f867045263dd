import * as z from 'zod/mini';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf } from '../list.ts';
import { idParam, seconds, text } from '../values.ts';

const key = z.string().check(z.trim(), z.minLength(1), z.maxLength(100));
const value = z.string().check(z.trim(), z.maxLength(200_000));

/** One setting, its values as texts. */
export const option = z.object({
  key: z.string(),
  /** Always empty for a secret. */
  value: z.string(),
  default_value: z.string(),
  /** Stored encrypted and never shown; `is_set` tells whether there is one. */
  secret: z.boolean(),
  /** It is stored; otherwise it is at its default. */
  is_set: z.boolean(),
  /** 0 while nobody has changed it. */
  changed_time: seconds,
  /** Who changed it last; empty while nobody has. */
  changed_by: z.string(),
});
export type Option = z.infer<typeof option>;

/** A change of one setting. Null stands for its default; of a secret only whether there was one is kept. */
export const optionChange = z.object({
  id: z.int(),
  key: z.string(),
  secret: z.boolean(),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  actor_id: z.int(),
  actor: z.string(),
  created_time: seconds,
});
export type OptionChange = z.infer<typeof optionChange>;

const release = z.object({
  version: z.string(),
  /** As the source tells it; empty where it does not. */
  published_at: z.string(),
  notes: z.string(),
  /** A web address, or empty. */
  address: z.string(),
  newer: z.boolean(),
});

/** The version that runs, and what the operator's own source says of others. */
export const updateCheck = z.object({
  running: z.string(),
  /** Empty: none is set, and nothing was asked. */
  source: z.string(),
  releases: z.array(release),
});
export type UpdateCheck = z.infer<typeof updateCheck>;

export const optionSchemas = {
  list: {
    audience: 'root',
    summary: 'List settings as texts; for secrets, only whether one is set',
    reply: z.array(option),
  },
  set: {
    audience: 'root',
    summary: 'Update a setting; an empty text keeps a secret',
    body: z.object({ key, value }),
  },
  setMany: {
    audience: 'root',
    summary: 'Update several settings, all or none; null restores the default and deletes a secret',
    body: z.object({ values: z.record(key, z.nullable(value)) }),
  },
  allowAddress: {
    audience: 'root',
    summary: 'Allow connections to the private networks an address resolves to',
    /** A user and a password in it are dropped: the audit log keeps what is sent. */
    body: z.object({
      address: text(500, 1).check(z.overwrite((address) => address.replace(/\/\/[^/]*@/, '//'))),
    }),
    /** What was added to the setting `OutboundPrivateNetworks`. */
    reply: z.object({ networks: z.array(z.string()) }),
  },
  history: {
    audience: 'root',
    summary: 'List the changes of settings',
    /** Keys parted by commas; empty: all. */
    query: z.extend(listQuery(['id', 'key', 'created_time']), {
      key: z._default(z.string().check(z.maxLength(5000)), ''),
    }),
    reply: pageOf(optionChange),
  },
  restore: {
    audience: 'root',
    summary: 'Restore a setting to its value before a change',
    params: z.object({ id: idParam }),
  },
  testMail: {
    audience: 'root',
    summary: 'Send a test mail with the stored settings',
    body: z.object({ to: text(320, 3).check(z.regex(/^[^\s@<>,;]+@[^\s@<>,;]+$/, { error: 'user.email' })) }),
  },
  checkUpdate: {
    audience: 'root',
    summary: 'Check the configured source for new versions',
    reply: updateCheck,
  },
} as const satisfies SchemasByEndpoint;
