import * as z from 'zod/mini';
import { expiry, id, LARGEST_MOVE, text } from '../values.ts';

/** Credits of one code; the sum of several maximal ones is still exact. */
const codeQuota = z.int().check(z.gte(0), z.lte(LARGEST_MOVE));

const fields = { name: text(20, 1), quota: codeQuota };

export const newRedemptions = z.object({
  ...fields,
  /** Number of codes. */
  count: z._default(z.int().check(z.gte(1), z.lte(100)), 1),
  expired_time: z._default(expiry, -1),
  /** A plan that each code gives for one period, besides its credits. */
  plan_id: z.optional(id),
});

/**
 * Given fields are updated; with `status_only` in the query only the status. In family mode the status needs it.
 */
export const redemptionEdit = z.object({
  id,
  status: z.optional(z.union([z.literal(1), z.literal(2)])),
  name: z.optional(fields.name),
  quota: z.optional(codeQuota),
  expired_time: z.optional(expiry),
});

/** Not validated further: malformed codes are refused as unknown. */
export const redeemInput = z.object({ key: text(200, 1) });
