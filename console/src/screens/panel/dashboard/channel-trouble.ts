import { channelStatus, type Channel, type ChannelHealth } from '@relay-hub/contract';
import type { HealthBar } from '#shared/health-strip.tsx';
import { formatTimeOfDay } from '#shared/time.ts';

type Hour = ChannelHealth['hours'][number];

const hourSeconds = 3600;
const recentHours = 3;
/** Share of failures from which an enabled channel is worth a look: with an error that it left, and without one. */
const doubtful = 0.05;
const failing = 0.2;

export interface Trouble {
  channel: Channel;
  frozen: boolean;
  /** Share of the latest calls that failed. */
  failed: number;
}

/** Whether others are preferred to an enabled channel after a failure; `now` in seconds. */
export const isFrozen = ({ status, frozen_until }: Channel, now: number): boolean =>
  status === channelStatus.enabled && frozen_until > now;

/** Channels that need a look: first those switched off by the server, then frozen ones, then by how much fails lately. */
export function troubleOf(channels: readonly Channel[], health: readonly ChannelHealth[], now: number): Trouble[] {
  const hours = new Map(health.map((each) => [each.channel_id, each.hours]));
  return channels
    .map((channel) => ({ channel, latest: latestOf(hours.get(channel.id) ?? []) }))
    .map(({ channel, latest }) => ({ channel, latest, frozen: isFrozen(channel, now) }))
    .filter(({ channel, latest, frozen }) => frozen || isTrouble(channel, latest))
    .map(({ channel, latest, frozen }) => ({ channel, frozen, failed: shareOf(latest) }))
    .toSorted(
      (a, b) =>
        b.channel.status - a.channel.status ||
        Number(b.frozen) - Number(a.frozen) ||
        b.failed - a.failed ||
        b.channel.last_error_time - a.channel.last_error_time,
    );
}

function isTrouble(channel: Channel, latest: Hour): boolean {
  if (channel.status === channelStatus.testDisabled) return true;
  if (channel.status !== channelStatus.enabled) return false;
  if (channel.last_error === '') return shareOf(latest) >= failing;
  // An error stays noted until a test succeeds, so it counts only where calls keep failing or none came since.
  const testFailed = channel.last_error_time === channel.test_time;
  return testFailed || latest.requests === 0 || shareOf(latest) >= doubtful;
}

/** The last three hours, or the whole day where nothing was sent in them. */
function latestOf(hours: readonly Hour[]): Hour {
  const recent = sum(hours.slice(-recentHours));
  return recent.requests > 0 ? recent : sum(hours);
}

const shareOf = ({ requests, failures }: Hour) => (requests === 0 ? 0 : failures / requests);

const sum = (hours: readonly Hour[]): Hour =>
  hours.reduce((all, hour) => ({ requests: all.requests + hour.requests, failures: all.failures + hour.failures }), {
    requests: 0,
    failures: 0,
  });

/** All channels together, hour by hour; `now` in seconds. */
export function allHours(health: readonly ChannelHealth[], now: number): HealthBar[] {
  const count = health[0]?.hours.length ?? 24;
  const newest = now - (now % hourSeconds);
  return Array.from({ length: count }, (_, index) => {
    const hour = sum(health.flatMap(({ hours }) => hours[index] ?? []));
    return { ...hour, time: formatTimeOfDay(newest - (count - 1 - index) * hourSeconds).slice(0, 5) };
  });
}
