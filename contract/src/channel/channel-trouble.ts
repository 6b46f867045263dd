import * as z from 'zod/mini';
import { troubleKinds } from './codes.ts';

export const channelTrouble = z.object({
  kind: z.enum(troubleKinds),
  /** Recent attempts and failures; both 0: none in the last 24 hours. */
  attempts: z.int(),
  failures: z.int(),
  /** Hours these attempts cover: the last 3, or 24 if there were none in 3. */
  hours: z.int(),
});
export type ChannelTrouble = z.infer<typeof channelTrouble>;
