import * as z from 'zod/mini';
import { text } from './values.ts';

/** Two billion dollars: what a person may move at once. */
const LARGEST = 1_000_000_000_000_000;

/** A change of somebody's balance, and why. */
export const correctionInput = z.object({
  /** Credits; negative takes. */
  quota: z.int().check(
    z.gte(-LARGEST),
    z.lte(LARGEST),
    z.refine((credits) => credits !== 0, { error: 'quota.zero' }),
  ),
  remark: text(255, 1),
  /** Unique per intended change, made by the sender: sent again with the same, the change is not made again. */
  reference: z.optional(z.string().check(z.regex(/^[\w.:-]{8,80}$/, { error: 'reference.form' }))),
});
