import * as z from 'zod/mini';
import { id, LARGEST_MOVE, text } from '../values.ts';
import { LARGEST_TOPUP } from './codes.ts';

export const newOrder = z.object({
  /** The payment gateway's `uuid`. */
  uuid: z.string().check(z.regex(/^[0-9a-f]{32}$/)),
  /** Whole USD. */
  amount: z.int().check(z.gte(1), z.lte(LARGEST_TOPUP)),
  /** The plan that the credits buy once they are paid. */
  plan_version_id: z.optional(id),
});

/** An order number: digits, or as an imported order had it. */
export const tradeNo = z.string().check(z.regex(/^[\w.:-]{1,255}$/));

export const newRefund = z.object({
  /** Credits of the order to refund; the money is the same share of the sum paid. */
  quota: z.int().check(z.gte(1), z.lte(LARGEST_MOVE)),
  /** Shown to the payer. */
  reason: text(80, 1),
  /** Idempotency key of the client: a repeated request returns the first refund. */
  reference: z.string().check(z.regex(/^[\w.:-]{8,80}$/, { error: 'reference.form' })),
  /** Refunds credits that are already spent: they are written off. Super administrator only, with `remark`. */
  write_off: z._default(z.boolean(), false),
  /** The money was returned outside of the gateway's API. Super administrator only, with `remark`. */
  by_hand: z._default(z.boolean(), false),
  remark: z._default(text(255), ''),
});

/** Why an administrator completes or settles something without the gateway. */
export const remarkInput = z.object({ remark: text(255, 1) });

export const settledRefund = z.object({ outcome: z.enum(['success', 'refused']), remark: text(255, 1) });

/** Largest statement in one request, in characters. */
export const LARGEST_STATEMENT = 900_000;
