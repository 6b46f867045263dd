import * as z from 'zod/mini';
import { redemptionStatus } from '../codes.ts';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from '../list.ts';
import { newRedemptions, redeemInput, redemptionEdit } from './redemption-input.ts';
import { credits, id, idParam, quota, seconds } from '../values.ts';

/** A single-use code worth credits. `key` is masked; `reveal` returns the code. */
export const redemption = z.object({
  id,
  /** Creator. */
  user_id: id,
  username: z.string(),
  key: z.string(),
  /** 1, 2 or 3; expiry follows from `expired_time`. */
  status: z.int(),
  name: z.string(),
  quota,
  /** The plan that it gives; null: credits only. */
  plan_id: z.nullable(id),
  created_time: seconds,
  /** -1 = never. */
  expired_time: seconds,
  /** 0 = not redeemed. */
  redeemed_time: seconds,
  /** Redeemer; 0 and empty if not redeemed. */
  redeemed_user_id: z.int(),
  redeemed_username: z.string(),
});
export type Redemption = z.infer<typeof redemption>;

export const redemptionColumns = [
  'id',
  'name',
  'status',
  'quota',
  'created_time',
  'expired_time',
  'redeemed_time',
] as const;

const filters = {
  /** Prefix of a name, an id, or a code, complete or masked. */
  keyword: textFilter,
  /** Effective status: 4 matches expired enabled codes, and 1 does not. */
  status: numberFilter,
  /** User names. */
  created_by: textFilter,
  redeemed_by: textFilter,
  /** Creation time, both inclusive. */
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};
export const redemptionFilters = z.object(filters);
export type RedemptionFilters = z.output<typeof redemptionFilters>;

const sum = z.object({ count: z.int(), quota: credits });

/** Number and total value of codes by status. */
export const redemptionTotals = z.object({ unredeemed: sum, redeemed: sum, disabled: sum, expired: sum });
export type RedemptionTotals = z.infer<typeof redemptionTotals>;

const invalid: readonly number[] = [redemptionStatus.disabled, redemptionStatus.used, redemptionStatus.expired];

/** Comma-separated unredeemable statuses: `2,3,4`. */
const invalidStatuses = z.pipe(
  z.string().check(
    z.refine((list) => list.split(',').every((one) => invalid.includes(Number(one))), {
      error: 'redemption.invalid',
    }),
  ),
  z.transform((list: string) => list.split(',').map(Number)),
);

const withId = z.object({ id: idParam });

export const redemptionSchemas = {
  list: {
    audience: 'admin',
    summary: 'List redemption codes, masked',
    query: z.extend(listQuery(redemptionColumns), filters),
    reply: pageOf(redemption),
  },
  totals: {
    audience: 'admin',
    summary: 'Number and total value of matching codes',
    query: redemptionFilters,
    reply: redemptionTotals,
  },
  download: {
    audience: 'admin',
    summary: 'Export matching codes in full as CSV, newest first',
    query: z.extend(redemptionFilters, downloadOptions),
    file: csvFile,
  },
  get: {
    audience: 'admin',
    summary: 'Get a redemption code, masked',
    params: withId,
    reply: redemption,
  },
  create: {
    audience: 'admin',
    summary: 'Create redemption codes, all or none; returns the codes',
    body: newRedemptions,
    reply: z.array(z.string()),
  },
  reveal: {
    audience: 'admin',
    summary: 'Reveal a code',
    params: withId,
    reply: z.object({ key: z.string() }),
  },
  update: {
    audience: 'admin',
    summary: 'Update an unredeemed code',
    query: z.object({ status_only: textFilter }),
    body: redemptionEdit,
    reply: redemption,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a code',
    params: withId,
  },
  restore: {
    audience: 'admin',
    summary: 'Restore a deleted code',
    params: withId,
    reply: redemption,
  },
  removeInvalid: {
    audience: 'admin',
    summary: 'Delete all disabled (2), redeemed (3) or expired (4) codes; returns the number deleted',
    query: z.object({ statuses: invalidStatuses }),
    reply: z.int(),
  },
  redeem: {
    audience: 'user',
    summary: 'Redeem a code; returns the credits added',
    body: redeemInput,
    reply: quota,
  },
} as const satisfies SchemasByEndpoint;
