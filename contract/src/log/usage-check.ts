import * as z from 'zod/mini';
import { seconds } from '../values.ts';

/**
 * `implausible`: more was reported than the call can have used, and the most that it can have used was charged.
 * `unusual`: what was reported is possible but far from what was visible; it was charged as reported.
 */
export const usageMarks = ['implausible', 'unusual'] as const;
export type UsageMark = (typeof usageMarks)[number];

/** What `most` follows from. `seen`: about what was visible, which is no bound. */
export const usageBounds = [
  'limit',
  'model_output',
  'any_answer',
  'received',
  'sent',
  'context_window',
  'sound_length',
  'images_asked',
  'seen',
] as const;

/** Why a counter of a usage was in doubt. */
export const usageFinding = z.object({
  counter: z.enum(['input', 'output', 'seconds', 'images', 'searches']),
  reported: z.int(),
  /** The most that the call can have used, or with `seen` what would have been usual. */
  most: z.int(),
  charged: z.int(),
  bound: z.enum(usageBounds),
});
export type UsageFinding = z.infer<typeof usageFinding>;

/** The last call of a channel that reported more than it can have used. */
export const usageWarning = z.extend(usageFinding, { time: seconds, request_id: z.string(), model: z.string() });
export type UsageWarning = z.infer<typeof usageWarning>;
