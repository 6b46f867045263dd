import * as z from 'zod/mini';
import { credits, expiry, id, quota, seconds, text } from '../values.ts';
import { familyLimits, tokenLimits, tokenMetadata } from './token-limits.ts';

/** Hours for which responses are kept here, instead of the site's `ResponseStoreHours`; null: as the site says. */
const storeHours = z.nullable(z.int().check(z.gte(0), z.lte(8760)));

const fields = {
  name: text(30, 1),
  expired_time: z._default(expiry, -1),
  remain_quota: z._default(quota, 0),
  unlimited_quota: z._default(z.boolean(), false),
  /** Empty = the group of the user. */
  group: z._default(text(50), ''),
  enable_cache: z._default(z.boolean(), false),
  response_store_hours: z._default(storeHours, null),
  /** Cost centre. */
  tag: z._default(text(50), ''),
  note: z._default(text(500), ''),
  metadata: z._default(tokenMetadata, {}),
};

/** A key of another server, with or without `sk-`: safe in URLs and headers, and long enough not to be guessed. */
export const givenKey = /^[\w-]{16,128}$/;

/** Without `limits` a token starts with those that its user group suggests. */
export const newToken = z.object({
  ...fields,
  limits: z.optional(tokenLimits),
  ...familyLimits,
  /** Of administrators only, to keep the key of another server, see `givenKey`; empty: a random key. */
  key: z._default(z.string().check(z.trim(), z.maxLength(200)), ''),
  /** Owner, of administrators only: an account of a lower role. Absent: the caller. */
  user_id: z.optional(id),
});

/**
 * Given fields are updated; with `status_only` in the query only the status. In family mode the status needs it.
 * A record can be sent back as it was read: what its `used_quota` shows to be old changes no quota.
 */
export const tokenEdit = z.object({
  id,
  /** 1: enabled, 2: disabled. 3 (expired) and 4 (exhausted) can only be sent back. */
  status: z.optional(z.literal([1, 2, 3, 4])),
  /** As it was read together with `remain_quota`, which is ignored if it only lacks the use since then. */
  used_quota: z.optional(credits),
  name: z.optional(fields.name),
  expired_time: z.optional(expiry),
  remain_quota: z.optional(quota),
  unlimited_quota: z.optional(z.boolean()),
  group: z.optional(text(50)),
  enable_cache: z.optional(z.boolean()),
  response_store_hours: z.optional(storeHours),
  tag: z.optional(text(50)),
  note: z.optional(text(500)),
  metadata: z.optional(tokenMetadata),
  limits: z.optional(tokenLimits),
  ...familyLimits,
});

/** Longest time that the old key of a token works after a rotation, in seconds. */
export const LONGEST_OVERLAP_S = 30 * 86_400;

/** How long the old key still works: for a time, or until one. Neither: it stops now. */
export const rotation = z.object({
  old_key_seconds: z.optional(z.int().check(z.gte(0), z.lte(LONGEST_OVERLAP_S))),
  old_key_until: z.optional(seconds),
});

/** Changes by administrators; the key, its name and notes are the owner's. */
export const tokenAdminEdit = z.object({
  status: tokenEdit.shape.status,
  expired_time: tokenEdit.shape.expired_time,
  remain_quota: tokenEdit.shape.remain_quota,
  used_quota: tokenEdit.shape.used_quota,
  unlimited_quota: tokenEdit.shape.unlimited_quota,
  limits: tokenEdit.shape.limits,
});

export const tokenTransfer = z.object({ user_id: id });
