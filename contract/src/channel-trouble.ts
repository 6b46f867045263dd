import type { Channel, ChannelHealth } from './channel.ts';
import { channelStatus } from './codes.ts';

type Hour = ChannelHealth['hours'][number];

/** What of a channel tells whether it is in trouble. */
export type Watched = Pick<Channel, 'id' | 'status' | 'last_error' | 'last_error_time' | 'test_time' | 'frozen_until'>;

export interface Trouble<C extends Watched = Channel> {
  channel: C;
  frozen: boolean;
  /** Share of the latest calls that failed. */
  failed: number;
}

const recentHours = 3;
/** Share of failures from which an enabled channel is worth a look: with an error that it left, and without one. */
const doubtful = 0.05;
const failing = 0.2;

/** Whether others are preferred to an enabled channel after a failure; `now` in seconds. */
export const isFrozen = ({ status, frozen_until }: Pick<Watched, 'status' | 'frozen_until'>, now: number): boolean =>
  status === channelStatus.enabled && frozen_until > now;

/**
 * Channels that need a look, the worst first: frozen ones, then those that the server switched off, then by how much
 * fails lately, and the oldest channel first among equals. The list of channels and the dashboard both go by it.
 */
export function troubleOf<C extends Watched>(
  channels: readonly C[],
  health: readonly ChannelHealth[],
  now: number,
): Trouble<C>[] {
  const hours = new Map(health.map((each) => [each.channel_id, each.hours]));
  return channels
    .map((channel) => ({ channel, latest: latestOf(hours.get(channel.id) ?? []), frozen: isFrozen(channel, now) }))
    .filter(({ channel, latest, frozen }) => frozen || isTrouble(channel, latest))
    .map(({ channel, latest, frozen }) => ({ channel, frozen, failed: shareOf(latest) }))
    .toSorted(
      (a, b) =>
        Number(b.frozen) - Number(a.frozen) ||
        b.channel.status - a.channel.status ||
        b.failed - a.failed ||
        a.channel.id - b.channel.id,
    );
}

function isTrouble(channel: Watched, latest: Hour): boolean {
  if (channel.status === channelStatus.testDisabled) return true;
  if (channel.status !== channelStatus.enabled) return false;
  if (channel.last_error === '') return shareOf(latest) >= failing;
  // An error stays noted until a test succeeds, so it counts only where calls keep failing or none came since.
  const testFailed = channel.last_error_time === channel.test_time;
  return testFailed || latest.requests === 0 || shareOf(latest) >= doubtful;
}

/** The last three hours, or the whole day where nothing was sent in them. */
function latestOf(hours: readonly Hour[]): Hour {
  const recent = sumOfHours(hours.slice(-recentHours));
  return recent.requests > 0 ? recent : sumOfHours(hours);
}

const shareOf = ({ requests, failures }: Hour) => (requests === 0 ? 0 : failures / requests);

/** Calls and failures of several hours together. */
export const sumOfHours = (hours: readonly Hour[]): Hour =>
  hours.reduce((all, hour) => ({ requests: all.requests + hour.requests, failures: all.failures + hour.failures }), {
    requests: 0,
    failures: 0,
  });
