import { type IncidentKind, troubleMinutes } from '@relay-hub/contract';
import { addTimes, countOf, type FirstTokenTimes, noTimes, percentile } from '#live/hour/first-token-times.ts';
import type { Minute, ModelSign } from '#live/hour/minute.ts';
import type { PresentTrouble } from './incidents.ts';

/** Minutes over which calls are judged. */
export const WINDOW_MIN = troubleMinutes;
/** Without a success for this long a model is down. */
const SURE_S = 30;
/** Minutes that show a change at once, if they have enough calls. */
const NEWEST_MIN = 2;
/** Calls that show the usual times of a channel, and how many times as long is slow. */
const USUAL_CALLS = 50;
const SLOW_TIMES = 3;
/** Refused calls of the window that are many on any site, and how many times the usual number they are. */
const MANY_REFUSED = 50;
const REFUSED_TIMES = 3;
const REFUSED_TIMES_STILL = 2;
/** Failed calls of a model, if each reached a channel. */
const FAILED_CALLS = 3;
const SITE_CALLS = 20;

function modelSigns(minutes: readonly Minute[]): Map<string, ModelSign> {
  const sums = new Map<string, ModelSign>();
  for (const { modelSigns: signs } of minutes)
    for (const [name, sign] of signs) {
      const sum = sums.get(name) ?? { servedAt: 0, unservedAt: 0, unserved: 0, none: 0, unpriced: 0 };
      sums.set(name, {
        servedAt: Math.max(sum.servedAt, sign.servedAt),
        unservedAt: Math.max(sum.unservedAt, sign.unservedAt),
        unserved: sum.unserved + sign.unserved,
        none: sum.none + sign.none,
        unpriced: sum.unpriced + sign.unpriced,
      });
    }
  return sums;
}

/** The kinds that `callTroubles` finds. */
export const callKinds = ['model', 'success', 'price'] as const satisfies readonly IncidentKind[];

interface CallFacts {
  minutes: readonly Minute[];
  /** Models that are an incident already. */
  down: ReadonlySet<string>;
  hasPrice(model: string): boolean;
  /** The setting `SuccessRatePoor`. */
  poor: number;
  now: number;
}

/** Models without a channel, models without a price that callers ask for, and a poor success rate of the site. */
export function callTroubles({ minutes, down, hasPrice, poor, now }: CallFacts): PresentTrouble[] {
  const troubles: PresentTrouble[] = [];
  for (const [model, { servedAt, unservedAt, unserved, none, unpriced }] of modelSigns(minutes)) {
    const isDown = unservedAt > servedAt && (down.has(model) || now - servedAt >= SURE_S);
    if (isDown && (none > 0 || unserved >= FAILED_CALLS))
      troubles.push({
        kind: 'model',
        object: model,
        severity: 'critical',
        params: { model, calls: unserved },
      });
    if (unpriced > 0 && !hasPrice(model))
      troubles.push({ kind: 'price', object: model, severity: 'warning', params: { model, calls: unpriced } });
  }
  const sumSince = (first: number) => {
    const sum = { calls: 0, failed: 0 };
    for (const { number, sums } of minutes) {
      if (number <= Math.floor(now / 60) - first) continue;
      sum.calls += sums.calls - sums.refused;
      sum.failed += sums.failed;
    }
    return sum;
  };
  const newest = sumSince(NEWEST_MIN);
  const { calls, failed } = newest.calls >= SITE_CALLS ? newest : sumSince(WINDOW_MIN);
  if (calls >= SITE_CALLS && failed * 100 > calls * (100 - poor))
    troubles.push({
      kind: 'success',
      object: '',
      severity: 'error',
      params: { rate: Math.floor(((calls - failed) * 100) / calls), calls, failed, minutes: WINDOW_MIN },
    });
  return troubles;
}

/** Medians of a channel in its usual days, with the number of calls they are of. Milliseconds. */
export interface UsualSpeed {
  first_token: { calls: number; p50: number | null };
  duration: { calls: number; p50: number | null };
}

/** A channel that is slow: its median and the longest usual one. Milliseconds. */
interface SlowChannel {
  median: number;
  limit: number;
}

/**
 * Channels whose first tokens, or whole calls, take several times as long as usual. `boundMs` (0: none) is the limit for
 * first tokens of channels that are too new to have a usual time. The newest minutes decide if they have enough calls.
 */
export function slowChannels(
  minutes: readonly Minute[],
  usual: ReadonlyMap<number, UsualSpeed>,
  { boundMs, now }: { boundMs: number; now: number },
): Map<number, SlowChannel> {
  const slow = new Map<number, SlowChannel>();
  const current = Math.floor(now / 60);
  const ids = new Set(minutes.flatMap(({ channels }) => [...channels.keys()]));
  for (const id of ids)
    for (const [measure, name, floorMs, calls] of slowMeasures) {
      const since = (first: number): FirstTokenTimes => {
        const sum = noTimes();
        for (const { number, channels } of minutes) {
          const times = number > first ? channels.get(id)?.[name] : undefined;
          if (times) addTimes(sum, times);
        }
        return sum;
      };
      const newest = since(current - NEWEST_MIN);
      const times = countOf(newest) >= calls ? newest : since(current - WINDOW_MIN);
      const median = countOf(times) < calls ? 0 : (percentile(times, 0.5) ?? 0);
      const of = usual.get(id)?.[measure];
      const known = of && of.calls >= USUAL_CALLS ? of.p50 : null;
      const limit = known === null ? (measure === 'first_token' ? boundMs : 0) : Math.max(floorMs, known * SLOW_TIMES);
      if (limit > 0 && median > limit && !slow.has(id)) slow.set(id, { median, limit });
    }
  return slow;
}

/** Measure, its times in a minute, the median that is slow on no channel, and the calls that show one. */
const slowMeasures = [
  ['first_token', 'times', 2000, 5],
  ['duration', 'durations', 10_000, 10],
] as const;

/** Refused calls of the window, and the most frequent reason and caller of them. */
export function refusedLately(minutes: readonly Minute[], now: number) {
  const reasons = new Map<string, { count: number; reason: string; username: string }>();
  let count = 0;
  let newest = 0;
  for (const { number, sums, troubles } of minutes) {
    if (number <= Math.floor(now / 60) - WINDOW_MIN) continue;
    count += sums.refused;
    if (number > Math.floor(now / 60) - NEWEST_MIN) newest += sums.refused;
    for (const { kind, status, reason, username, count: times } of troubles.values()) {
      if (kind !== 'refused' || status >= 500) continue;
      const key = `${reason} ${username}`;
      reasons.set(key, { reason, username, count: (reasons.get(key)?.count ?? 0) + times });
    }
  }
  const [most] = [...reasons.values()].toSorted((a, b) => b.count - a.count);
  return {
    count,
    reason: most?.reason ?? '',
    username: most?.username ?? '',
    isMany: count >= MANY_REFUSED,
    /** Whether they are far above the usual number; an open incident ends when the newest minutes are usual again. */
    isAbove: (usual: number, isOpen: boolean): boolean => {
      if (!isOpen) return count >= MANY_REFUSED && count >= usual * REFUSED_TIMES;
      return newest * (WINDOW_MIN / NEWEST_MIN) >= Math.max(MANY_REFUSED, usual * REFUSED_TIMES_STILL);
    },
  };
}
