import * as z from 'zod/mini';
import { LARGEST_MOVE, text } from '../values.ts';

/** A correction of a user's balance. */
export const correctionInput = z.object({
  /** Credits; negative removes. */
  quota: z.int().check(
    z.gte(-LARGEST_MOVE),
    z.lte(LARGEST_MOVE),
    z.refine((credits) => credits !== 0, { error: 'quota.zero' }),
  ),
  remark: text(255, 1),
  /** Idempotency key of the client: a repeated request has no effect. */
  reference: z.optional(z.string().check(z.regex(/^[\w.:-]{8,80}$/, { error: 'reference.form' }))),
});
