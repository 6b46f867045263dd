import type { Channel, ChannelHealth } from './channel.ts';
import type { ChannelTrouble } from './channel-trouble.ts';
import { troubleKinds } from './codes.ts';
import { channelStatus } from '../codes.ts';

type Hour = Pick<ChannelHealth['hours'][number], 'requests' | 'failures'>;

/** Fields of a channel that determine its trouble. */
export type TroubleFields = Pick<
  Channel,
  'id' | 'status' | 'last_error' | 'last_error_time' | 'test_time' | 'frozen_until'
>;

/** Hours that determine the health of a channel, and those used if it had no attempts in them. */
export const recentHours = 3;
export const healthHours = 24;

/** With fewer failures and no recorded error, an enabled channel is failing only from this failure rate on. */
const FEW_FAILURES = 3;
const FEW_SHARE = 0.2;

/** Attempts and failures of a channel in `recentHours` and in `healthHours`. */
export interface LatestAttempts {
  recent: Hour;
  day: Hour;
}

/** Whether the success rate of these attempts is below `poor` percent, with more than a few failures. */
export const isPoor = ({ attempts, failures }: Pick<ChannelTrouble, 'attempts' | 'failures'>, poor: number): boolean =>
  failures >= FEW_FAILURES && failures * 100 > attempts * (100 - poor);

/** Seconds, and the setting `SuccessRatePoor`. */
export interface TroubleScale {
  now: number;
  poor: number;
}

/** The trouble of a channel; null: none. The single source of channel health in lists and counts. */
export function troubleOf(
  channel: TroubleFields,
  { recent, day }: LatestAttempts,
  { now, poor }: TroubleScale,
): ChannelTrouble | null {
  const kind = kindOf(channel, now);
  if (kind === undefined) return null;
  const isRecent = recent.requests > 0;
  const latest = isRecent ? recent : day;
  if (kind === 'failing' && !isFailing(channel, latest, poor)) return null;
  const hours = isRecent ? recentHours : healthHours;
  return { kind, attempts: latest.requests, failures: latest.failures, hours };
}

/** The possible kind of trouble; undefined: disabled manually. */
function kindOf({ status, frozen_until }: TroubleFields, now: number): ChannelTrouble['kind'] | undefined {
  if (status === channelStatus.testDisabled) return 'switched_off';
  if (status !== channelStatus.enabled) return undefined;
  return frozen_until > now ? 'frozen' : 'failing';
}

function isFailing(channel: TroubleFields, { requests: attempts, failures }: Hour, poor: number): boolean {
  if (isPoor({ attempts, failures }, poor)) return true;
  if (channel.last_error === '') return failedShare({ attempts, failures }) >= FEW_SHARE;
  // An error is kept until a test succeeds, so it counts only if attempts keep failing or none followed.
  const testFailed = channel.last_error_time === channel.test_time;
  return testFailed || attempts === 0 || (failures > 0 && failures * 100 >= attempts * (100 - poor));
}

/** Sorts channels in trouble by kind, failure rate and id. */
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

/** Failure rate, 0 to 1. */
export const failedShare = ({ attempts, failures }: Pick<ChannelTrouble, 'attempts' | 'failures'>): number =>
  attempts === 0 ? 0 : failures / attempts;
