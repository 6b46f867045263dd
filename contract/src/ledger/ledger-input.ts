import * as z from 'zod/mini';
import { LARGEST_MOVE, text } from '../values.ts';

/** A change of somebody's balance, and why. */
export const correctionInput = z.object({
  /** Credits; negative takes. */
  quota: z.int().check(
    z.gte(-LARGEST_MOVE),
    z.lte(LARGEST_MOVE),
    z.refine((credits) => credits !== 0, { error: 'quota.zero' }),
  ),
  remark: text(255, 1),
  /** Unique per intended change, made by the sender: sent again with the same, the change is not made again. */
  reference: z.optional(z.string().check(z.regex(/^[\w.:-]{8,80}$/, { error: 'reference.form' }))),
});
