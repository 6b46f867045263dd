import type { ChannelFailure, Cockpit, LiveChannel } from '@relay-hub/contract';
import { addTimes, countOf, noTimes, percentile, type FirstTokenTimes } from './first-token-times.ts';
import type { HourSum } from './hour-sum.ts';
import type { ChannelTally, Minute, Tally } from './minute.ts';

/** Named callers, models and channels; all others are one line. */
/** Ends of the flow on each side: with the sum of the others they fit a window of 900 px, with troubles in sight. */
const MOST_CALLERS = 7;
const MOST_CHANNELS = 7;
/** Of the named channels; the others in trouble are counted. */
const MOST_TROUBLED = 5;
const MOST_TROUBLES = 12;
/** Full minutes before the running one that `recent` covers. */
const LATEST_MINUTES = 5;
/** Minutes and calls whose medians are compared. */
const RECENT_MINUTES = 10;
const RECENT_CALLS = 5;
const USUAL_CALLS = 10;

/** Facts of a channel that are not in the sums. `frozenUntil`: Unix seconds; 0: not frozen. */
export interface ChannelFacts {
  name: string;
  /** 0: deleted. */
  type: number;
  frozenUntil: number;
  isFailing: boolean;
  /** By its open incident. */
  isSlow: boolean;
}

/** Sums of the hour, and its minutes of all nodes. `first` is the number of its first minute. */
interface Hour {
  sum: HourSum;
  minutes: readonly Minute[];
  first: number;
  count: number;
  now: number;
}

/** The state that the cockpit shows. */
export function cockpitOf({ sum, minutes, first, count, now }: Hour, factsOf: (id: number) => ChannelFacts): Cockpit {
  const { calls, refused, failed, retries, unsent, attempts, failedAttempts, quota } = sum.sums;
  const recent = recentTimes(minutes, first + count - RECENT_MINUTES);
  const users = namedFirst([...sum.users], MOST_CALLERS);
  const models = namedFirst([...sum.models], MOST_CALLERS);
  const channels = [...sum.channels].toSorted(([, a], [, b]) => b.attempts - a.attempts);
  const states = channels.map(([id, tally]) => {
    const facts = factsOf(id);
    const channel = channelOf(id, tally, recent.get(id), facts);
    return { ...channel, state: stateOf(facts) };
  });
  const named = channelsToName(states);
  const rest = states.filter((each) => !named.includes(each));
  return {
    time: now,
    from: first * 60,
    minutes: seriesOf(minutes, first, count),
    total: {
      calls,
      refused,
      failed,
      retries,
      unsent,
      attempts,
      failed_attempts: failedAttempts,
      quota,
      ...speedOfTimes(sum.times),
    },
    recent: recentOf(minutes, first + count - 1 - LATEST_MINUTES),
    users: users.named.map(([id, { tokens, ...user }]) => {
      const [top] = [...tokens.values()].toSorted((a, b) => b.calls - a.calls);
      return { id, token: top?.name ?? '', tokens: tokens.size, ...user };
    }),
    other_users: { count: users.rest.length, ...total(users.rest) },
    models: models.named.map(([name, tally]) => ({ name, ...tally })),
    other_models: { count: models.rest.length, ...total(models.rest) },
    channels: named,
    other_channels: {
      count: rest.length,
      attempts: rest.reduce((all, each) => all + each.attempts, 0),
      failed: rest.reduce((all, each) => all + each.failed, 0),
      troubled: rest.filter(({ state }) => state !== 'well').length,
    },
    troubles: [...sum.troubles.values()]
      .toSorted((a, b) => b.time - a.time || b.count - a.count)
      .slice(0, MOST_TROUBLES)
      .map(({ kind, time, count: times, status, reason, message, model, username, ...of }) => ({
        kind,
        time,
        count: times,
        status,
        reason,
        message,
        model,
        username,
        channel_id: of.channelId,
        channel: of.channelId === 0 ? '' : factsOf(of.channelId).name,
        token: of.tokenName,
        users: of.users.size,
      })),
  };
}

const speedOfTimes = (times: FirstTokenTimes) => ({
  streams: countOf(times),
  p50: percentile(times, 0.5),
  p95: percentile(times, 0.95),
});

/** Sums since a minute. */
function recentOf(minutes: readonly Minute[], since: number): Cockpit['recent'] {
  const sums = { calls: 0, refused: 0, failed: 0, quota: 0 };
  const times = noTimes();
  for (const minute of minutes) {
    if (minute.number < since) continue;
    for (const name of ['calls', 'refused', 'failed', 'quota'] as const) sums[name] += minute.sums[name];
    addTimes(times, minute.times);
  }
  return { from: since * 60, ...sums, ...speedOfTimes(times) };
}

/** Those with most calls have names, entries beyond the limit of a minute never. */
function namedFirst<K extends number | string, T extends Tally>(entries: [K, T][], most: number) {
  const known = entries.filter(([key]) => key !== 0 && key !== '').toSorted(([, a], [, b]) => b.calls - a.calls);
  const beyond = entries.filter(([key]) => key === 0 || key === '');
  return { named: known.slice(0, most), rest: [...known.slice(most), ...beyond] };
}

const total = (entries: readonly (readonly [unknown, Tally])[]): Tally => {
  const sum = { calls: 0, refused: 0, failed: 0 };
  for (const [, { calls, refused, failed }] of entries) {
    sum.calls += calls;
    sum.refused += refused;
    sum.failed += failed;
  }
  return sum;
};

/** The busiest channels, and before them those in trouble with most failures. */
function channelsToName(channels: readonly LiveChannel[]): LiveChannel[] {
  const known = channels.filter(({ id }) => id !== 0);
  const troubled = known
    .filter(({ state }) => state !== 'well')
    .toSorted((a, b) => b.failed - a.failed)
    .slice(0, MOST_TROUBLED);
  const busy = known.filter(({ state }) => state === 'well').slice(0, MOST_CHANNELS - troubled.length);
  return known.filter((each) => troubled.includes(each) || busy.includes(each));
}

function channelOf(
  id: number,
  { attempts, failed, kinds, times }: ChannelTally,
  recent: Uint32Array | undefined,
  { name, type, frozenUntil }: Omit<ChannelFacts, 'isFailing' | 'isSlow'>,
): Omit<LiveChannel, 'state'> {
  const [worst] = [...kinds].toSorted(([, a], [, b]) => b - a);
  const speed = speedOf(times, recent);
  return {
    id,
    name,
    type,
    attempts,
    failed,
    ...reasonOf(worst),
    first_token: speed.now,
    usual_first_token: speed.usual,
    frozen_until: frozenUntil,
  };
}

const reasonOf = (worst: readonly [ChannelFailure, number] | undefined) => ({
  reason: worst?.[0] ?? null,
  reason_count: worst?.[1] ?? 0,
});

/** Medians of the last minutes and of the time before, if there are enough calls. */
function speedOf(times: Uint32Array | undefined, recent: Uint32Array | undefined) {
  if (!times) return { now: null, usual: null };
  if (!recent || countOf(recent) < RECENT_CALLS) return { now: percentile(times, 0.5), usual: null };
  const before = times.map((count, at) => count - (recent[at] ?? 0));
  const usual = countOf(before) < USUAL_CALLS ? null : percentile(before, 0.5);
  return { now: percentile(recent, 0.5), usual };
}

function stateOf({ frozenUntil, isFailing, isSlow }: ChannelFacts): LiveChannel['state'] {
  if (frozenUntil > 0) return 'frozen';
  if (isFailing) return 'failing';
  return isSlow ? 'slow' : 'well';
}

/** First-token times by channel, since a minute. */
function recentTimes(minutes: readonly Minute[], since: number): Map<number, Uint32Array> {
  const recent = new Map<number, Uint32Array>();
  for (const { number, channels } of minutes) {
    if (number < since) continue;
    for (const [id, { times }] of channels) {
      if (!times) continue;
      let sum = recent.get(id);
      if (!sum) recent.set(id, (sum = noTimes()));
      addTimes(sum, times);
    }
  }
  return recent;
}

function seriesOf(minutes: readonly Minute[], first: number, count: number): Cockpit['minutes'] {
  const zeros = () => Array.from({ length: count }, () => 0);
  const series = { calls: zeros(), refused: zeros(), failed: zeros(), attempts: zeros(), quota: zeros() };
  const failed_attempts = zeros();
  const times = series.calls.map(() => noTimes());
  for (const minute of minutes) {
    const at = minute.number - first;
    const { sums } = minute;
    for (const name of ['calls', 'refused', 'failed', 'attempts', 'quota'] as const)
      series[name][at] = (series[name][at] ?? 0) + sums[name];
    failed_attempts[at] = (failed_attempts[at] ?? 0) + sums.failedAttempts;
    const into = times[at];
    if (into) addTimes(into, minute.times);
  }
  return {
    ...series,
    failed_attempts,
    p50: times.map((each) => percentile(each, 0.5)),
    p95: times.map((each) => percentile(each, 0.95)),
  };
}
