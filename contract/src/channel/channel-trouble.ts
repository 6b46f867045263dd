import * as z from 'zod/mini';
import { channelFailures } from './attempt-kind.ts';
import { troubleKinds } from './codes.ts';

export const channelTrouble = z.object({
  kind: z.enum(troubleKinds),
  /** Latest attempts and failures; both 0: none are known. */
  attempts: z.int(),
  failures: z.int(),
  /** Minutes these attempts cover. Of a quiet channel they are the last ones that are known. */
  minutes: z.int(),
  /** The most frequent cause of the failures; null: unknown. */
  reason: z.nullable(z.enum(channelFailures)),
});
export type ChannelTrouble = z.infer<typeof channelTrouble>;
