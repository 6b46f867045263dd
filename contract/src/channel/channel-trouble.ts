import * as z from 'zod/mini';
import { troubleKinds } from './codes.ts';

export const channelTrouble = z.object({
  kind: z.enum(troubleKinds),
  /** The latest attempts that count, and how many of them failed; both 0: none in the last 24 hours. */
  attempts: z.int(),
  failures: z.int(),
  /** The hours that these attempts are of: the last 3, or the last 24 where the last 3 had none. */
  hours: z.int(),
});
export type ChannelTrouble = z.infer<typeof channelTrouble>;
