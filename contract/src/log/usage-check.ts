import * as z from 'zod/mini';
import { seconds } from '../values.ts';

/**
 * `implausible`: more was reported than the call can have used; the upper bound was charged.
 * `unusual`: possible, but far from what was visible; charged as reported.
 */
export const usageMarks = ['implausible', 'unusual'] as const;
export type UsageMark = (typeof usageMarks)[number];

/** Sources of the limit `most`. `seen`: an estimate of the visible usage, which is no bound. */
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

/** Why a reported counter is doubtful. */
export const usageFinding = z.object({
  counter: z.enum(['input', 'output', 'seconds', 'images', 'searches']),
  reported: z.int(),
  /** Upper bound of the call's usage, or with `seen` the usual value. */
  most: z.int(),
  charged: z.int(),
  bound: z.enum(usageBounds),
});
export type UsageFinding = z.infer<typeof usageFinding>;

/** The last call for which the channel reported implausible usage. */
export const usageWarning = z.extend(usageFinding, { time: seconds, request_id: z.string(), model: z.string() });
export type UsageWarning = z.infer<typeof usageWarning>;
