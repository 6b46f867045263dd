import type { ChannelFailure, IncidentKind } from '@relay-hub/contract';
import { addTimes, countOf, noTimes, percentile } from '#live/hour/first-token-times.ts';
import type { ChannelSign, Minute, ModelSign } from '#live/hour/minute.ts';
import type { PresentTrouble } from './incidents.ts';

/** Minutes over which attempts and calls are judged. */
export const WINDOW_MIN = 10;
/** How long a model without calls stays an incident, and how long calls without a price count. */
export const CALLS_MIN = 15;
/** Fewer failures prove nothing. Where one caller may have caused all of them it takes more. */
const FEW_FAILURES = 3;
const UNCLEAR_FAILURES = 5;
const FAILING_SHARE = 0.5;
/** Without a success for this long a model is down; without a failure, and with a success, it is over. */
const SURE_S = 30;
/** Streams that show how fast a channel begins. */
const SPEED_CALLS = 5;
/** Refused calls of the window that are many on any site, and how many times the usual number they are. */
const MANY_REFUSED = 50;
const REFUSED_TIMES = 3;
const REFUSED_TIMES_STILL = 2;
/** Failed calls of a model, if each reached a channel. */
const FAILED_CALLS = 3;
const SITE_CALLS = 20;

/** Causes that no request can bring about. */
const clear: ReadonlySet<ChannelFailure> = new Set(['connect', 'key', 'rate', 'model']);

export interface ChannelAttempts extends ChannelSign {
  attempts: number;
  failed: number;
  /** The most frequent cause. */
  worst: ChannelFailure | undefined;
  isClear: boolean;
}

/** The attempts of a channel in the window, without minutes up to `after`. */
export function attemptsOf(minutes: readonly Minute[], channel: number, now: number, after: number): ChannelAttempts {
  const first = Math.max(Math.floor(now / 60) - WINDOW_MIN + 1, Math.floor(after / 60) + 1);
  const sum = { attempts: 0, failed: 0, okAt: 0, failedAt: 0, okBy: new Set<number>(), failedBy: new Set<number>() };
  const kinds = new Map<ChannelFailure, number>();
  for (const { number, channels, channelSigns } of minutes) {
    const sign = channelSigns.get(channel);
    if (sign) {
      sum.okAt = Math.max(sum.okAt, sign.okAt);
      sum.failedAt = Math.max(sum.failedAt, sign.failedAt);
    }
    if (number < first) continue;
    for (const id of sign?.okBy ?? []) sum.okBy.add(id);
    for (const id of sign?.failedBy ?? []) sum.failedBy.add(id);
    const tally = channels.get(channel);
    sum.attempts += tally?.attempts ?? 0;
    sum.failed += tally?.failed ?? 0;
    for (const [kind, count] of tally?.kinds ?? []) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  const [worst] = [...kinds].toSorted(([, a], [, b]) => b - a);
  return { ...sum, worst: worst?.[0], isClear: [...kinds.keys()].some((kind) => clear.has(kind)) };
}

/** Whether a channel fails now, by share of its attempts and never by the faults of one caller; `was`: it did before. */
export function isChannelFailing(of: ChannelAttempts, was: boolean): boolean {
  const { attempts, failed, okAt, failedAt, okBy, failedBy, isClear } = of;
  // A quiet channel keeps its last state.
  if (was) return okAt === 0 || okAt < failedAt + SURE_S;
  if (failedAt < okAt - SURE_S || failed < attempts * FAILING_SHARE) return false;
  if (isClear || failedBy.size > 1) return failed >= FEW_FAILURES;
  const othersServed = [...okBy].some((id) => !failedBy.has(id));
  return failed >= UNCLEAR_FAILURES && !othersServed;
}

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
  const first = Math.floor(now / 60) - WINDOW_MIN + 1;
  let calls = 0;
  let failed = 0;
  for (const { number, sums } of minutes) {
    if (number < first) continue;
    calls += sums.calls - sums.refused;
    failed += sums.failed;
  }
  if (calls >= SITE_CALLS && failed * 100 > calls * (100 - poor))
    troubles.push({
      kind: 'success',
      object: '',
      severity: 'error',
      params: { rate: Math.floor(((calls - failed) * 100) / calls), calls, failed, minutes: WINDOW_MIN },
    });
  return troubles;
}

/** Channels whose median time to first token in the window is above `targetMs` (0: none), with it. Milliseconds. */
export function slowChannels(minutes: readonly Minute[], targetMs: number, now: number): Map<number, number> {
  const times = new Map<number, Uint32Array>();
  if (targetMs > 0)
    for (const { number, channels } of minutes) {
      if (number <= Math.floor(now / 60) - WINDOW_MIN) continue;
      for (const [id, { times: own }] of channels) {
        if (!own) continue;
        const sum = times.get(id) ?? noTimes();
        addTimes(sum, own);
        times.set(id, sum);
      }
    }
  const slow = new Map<number, number>();
  for (const [id, sum] of times) {
    const median = countOf(sum) < SPEED_CALLS ? 0 : (percentile(sum, 0.5) ?? 0);
    if (median > targetMs) slow.set(id, median);
  }
  return slow;
}

/** Refused calls of the window, and the most frequent reason and caller of them. */
export function refusedLately(minutes: readonly Minute[], now: number) {
  const reasons = new Map<string, { count: number; reason: string; username: string }>();
  let count = 0;
  for (const { number, sums, troubles } of minutes) {
    if (number <= Math.floor(now / 60) - WINDOW_MIN) continue;
    count += sums.refused;
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
    /** Whether they are far above the usual number; an incident that is open ends later than it began. */
    isAbove: (usual: number, isOpen: boolean): boolean =>
      count >= MANY_REFUSED && count >= usual * (isOpen ? REFUSED_TIMES_STILL : REFUSED_TIMES),
  };
}
