import * as z from 'zod/mini';

/** What is wrong with a channel: others are preferred for now, the server switched it off, or its attempts fail. */
export const troubleKinds = ['frozen', 'switched_off', 'failing'] as const;

export const channelTrouble = z.object({
  kind: z.enum(troubleKinds),
  /** The latest attempts that count, and how many of them failed; both 0: none in the last 24 hours. */
  attempts: z.int(),
  failures: z.int(),
  /** The hours that these attempts are of: the last 3, or the last 24 where the last 3 had none. */
  hours: z.int(),
});
export type ChannelTrouble = z.infer<typeof channelTrouble>;

/** The share of attempts that failed, 0 to 1. */
export const failedShare = ({ attempts, failures }: Pick<ChannelTrouble, 'attempts' | 'failures'>): number =>
  attempts === 0 ? 0 : failures / attempts;
