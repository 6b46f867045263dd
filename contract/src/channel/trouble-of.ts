import type { Channel, ChannelHealth } from './channel.ts';
import type { ChannelTrouble } from './channel-trouble.ts';
import { troubleKinds } from './codes.ts';
import { channelStatus } from '../codes.ts';

type Hour = Pick<ChannelHealth['hours'][number], 'requests' | 'failures'>;

/** What of a channel tells whether it is in trouble. */
export type Watched = Pick<Channel, 'id' | 'status' | 'last_error' | 'last_error_time' | 'test_time' | 'frozen_until'>;

/** The hours that tell how a channel is doing, and those that do where there was nothing to do in them. */
export const recentHours = 3;
export const healthHours = 24;

/** Share of failures from which an enabled channel is failing: with an error that it left, and without one. */
const doubtful = 0.05;
const failing = 0.2;

/** Attempts and failures of a channel in `recentHours` and in `healthHours`. */
export interface LatestAttempts {
  recent: Hour;
  day: Hour;
}

/**
 * What is wrong with a channel; null: nothing. Every status of a channel, in lists and counts, is decided here. `now`
 * in seconds.
 */
export function troubleOf(channel: Watched, { recent, day }: LatestAttempts, now: number): ChannelTrouble | null {
  const kind = kindOf(channel, now);
  if (kind === undefined) return null;
  const isRecent = recent.requests > 0;
  const latest = isRecent ? recent : day;
  if (kind === 'failing' && !isFailing(channel, latest)) return null;
  const hours = isRecent ? recentHours : healthHours;
  return { kind, attempts: latest.requests, failures: latest.failures, hours };
}

/** The kind of trouble that a channel can be in; undefined: it was switched off by hand. */
function kindOf({ status, frozen_until }: Watched, now: number): ChannelTrouble['kind'] | undefined {
  if (status === channelStatus.testDisabled) return 'switched_off';
  if (status !== channelStatus.enabled) return undefined;
  return frozen_until > now ? 'frozen' : 'failing';
}

function isFailing(channel: Watched, latest: Hour): boolean {
  const share = failedShare({ attempts: latest.requests, failures: latest.failures });
  if (channel.last_error === '') return share >= failing;
  // An error stays noted until a test succeeds, so it counts only where attempts keep failing or none came since.
  const testFailed = channel.last_error_time === channel.test_time;
  return testFailed || latest.requests === 0 || share >= doubtful;
}

/** Sorts channels in trouble: by kind, then by the share that fails, the oldest channel first among equals. */
export function byTrouble(
  a: { id: number; trouble: ChannelTrouble },
  b: { id: number; trouble: ChannelTrouble },
): number {
  return (
    troubleKinds.indexOf(a.trouble.kind) - troubleKinds.indexOf(b.trouble.kind) ||
    failedShare(b.trouble) - failedShare(a.trouble) ||
    a.id - b.id
  );
}

/** The share of attempts that failed, 0 to 1. */
export const failedShare = ({ attempts, failures }: Pick<ChannelTrouble, 'attempts' | 'failures'>): number =>
  attempts === 0 ? 0 : failures / attempts;
