import type { Activity, AttemptKind, FailureKind } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { callsSince, type LogSearch } from '#features/log/log-search.ts';
import { failuresOf } from '#roll-ups/failures.ts';
import { speedCounts, speedIn } from '#roll-ups/speeds.ts';
import { COST_UNITS, type UsageScope } from '#roll-ups/usage-scope.ts';
import { speedPoints, type ActivityPeriod } from './activity-period.ts';
import {
  attemptsByKey,
  attemptsOfChannel,
  type HourUsage,
  usageOfChannel,
  usageOfModel,
  usageOfToken,
  usageOfUser,
} from './activity-usage.ts';
import { channelNames, failedCalls, failuresOfChannel, SEARCHED_FOR_RESCUES, shownFailures } from './failed-calls.ts';

const LISTED_PARTS = 8;

/** Attempts at a channel, including those that another one made up for; `total` are the calls it had last. */
export async function activityOfChannel(db: Db, id: number, period: ActivityPeriod): Promise<Activity> {
  const search = { ...callsSince(period.from), channelId: id };
  const attempts = await attemptsOfChannel(db, id, period);
  const tries = attempts.map(({ hour, kind, attempts: requests }) => ({
    hour,
    requests,
    failures: kind === 'ok' ? 0 : requests,
  }));
  const rows = await failuresOfChannel(db, search, id);
  return {
    ...barsOf(tries, period),
    ...usageSums(await usageOfChannel(db, id, period)),
    reasons: reasonsOf(
      attempts.filter(({ kind }) => kind !== 'ok').map(({ kind, attempts: count }) => ({ kind, count })),
    ),
    keys: await attemptsByKey(db, id, period),
    refusals: [],
    ...(await speedsOf(db, { channelId: id }, period)),
    failures: await shownFailures(db, rows, { channelId: id }),
    rescues_of: SEARCHED_FOR_RESCUES,
  };
}

export async function activityOfUser(db: Db, id: number, period: ActivityPeriod): Promise<Activity> {
  const usage = await usageOfUser(db, id, period);
  return {
    ...(await activityOfCalls(db, { ...callsSince(period.from), userId: id }, usage, period)),
    refusals: await refusalsOf(db, 'user_id', id, period),
  };
}

/** Activity of a model, or of all models that match a prefix such as `gpt-4*`. */
export async function activityOfModel(db: Db, model: string, period: ActivityPeriod): Promise<Activity> {
  const usage = await usageOfModel(db, model, period);
  const shown = await activityOfCalls(db, { ...callsSince(period.from), model }, usage, period);
  const names = await channelNames(
    db,
    shown.parts.map(({ key }) => Number(key)),
  );
  return { ...shown, parts: shown.parts.map((part) => ({ ...part, name: names.get(Number(part.key)) ?? '' })) };
}

/** `own`: as its owner may see it, without channels. */
export async function activityOfToken(
  db: Db,
  token: { id: number; user_id: number },
  period: ActivityPeriod,
  own: boolean,
): Promise<Activity> {
  const search = { ...callsSince(period.from), userId: token.user_id, tokenId: token.id };
  return {
    ...(await activityOfCalls(db, search, await usageOfToken(db, token, period), period, own)),
    refusals: await refusalsOf(db, 'token_id', token.id, period),
  };
}

async function activityOfCalls(
  db: Db,
  search: LogSearch,
  usage: readonly HourUsage[],
  period: ActivityPeriod,
  own = false,
): Promise<Activity> {
  const tries = usage.map(({ hour, request_count: requests, failed_count: failures }) => ({
    hour,
    requests,
    failures,
  }));
  const { userId, tokenId, model } = search;
  const scope: UsageScope = { userId, tokenId, model };
  const failures = await failuresOf(db, scope, period.from, period.until);
  const rows = await failedCalls(db, search);
  return {
    ...barsOf(tries, period),
    ...usageSums(usage),
    reasons: reasonsOf(failures.map(({ kind, calls: count }) => ({ kind, count }))),
    keys: [],
    refusals: [],
    ...(await speedsOf(db, scope, period)),
    failures: await shownFailures(db, rows, { own }),
    rescues_of: 0,
  };
}

/** Speed in the period, and over time; read once. */
async function speedsOf(
  db: Db,
  scope: UsageScope,
  period: ActivityPeriod,
): Promise<Pick<Activity, 'speed' | 'speeds'>> {
  const points = speedPoints(period);
  const counts = await speedCounts(db, { scope, from: period.from, until: period.until, points });
  return {
    speed: speedIn(counts),
    speeds: points.map(({ start, end }) => ({
      start,
      until: end,
      ...speedIn(counts.filter((count) => count.start >= start && count.start < end)),
    })),
  };
}

/** Sums by reason, most frequent first. Calls without a known outcome count as `other`. */
function reasonsOf(counts: readonly { kind: AttemptKind; count: number }[]): Activity['reasons'] {
  const reasons = new Map<FailureKind, number>();
  for (const { kind, count } of counts) {
    const reason = kind === 'ok' ? 'other' : kind;
    reasons.set(reason, (reasons.get(reason) ?? 0) + count);
  }
  return [...reasons].map(([kind, count]) => ({ kind, count })).toSorted((a, b) => b.count - a.count);
}

interface HourTries {
  hour: number;
  requests: number;
  failures: number;
}

function barsOf(
  tries: readonly HourTries[],
  { from, until, barS }: ActivityPeriod,
): Pick<Activity, 'from' | 'until' | 'bar_seconds' | 'bars' | 'tries'> {
  const bars = Array.from({ length: (until - from) / barS }, (_, at) => ({
    start: from + at * barS,
    requests: 0,
    failures: 0,
  }));
  const all = { requests: 0, failures: 0 };
  for (const { hour, requests, failures } of tries) {
    const bar = bars[Math.floor((hour - from) / barS)];
    if (!bar) continue;
    for (const sum of [bar, all]) {
      sum.requests += requests;
      sum.failures += failures;
    }
  }
  return { from, until, bar_seconds: barS, bars, tries: all };
}

function usageSums(usage: readonly HourUsage[]): Pick<Activity, 'total' | 'parts'> {
  const total = {
    requests: 0,
    failures: 0,
    quota: 0,
    prompt_tokens: 0,
    completion_tokens: 0,
    cache_input: 0,
    cache_read: 0,
    cache_saved: 0,
    cost: 0,
    costed: 0,
  };
  const parts = new Map<string, Activity['parts'][number] & { cost: number; costed: number }>();
  for (const row of usage) {
    let part = parts.get(row.key);
    if (!part) {
      part = { key: row.key, name: row.key, requests: 0, failures: 0, quota: 0, cost: 0, costed: 0 };
      parts.set(row.key, part);
    }
    for (const sum of [part, total]) {
      sum.requests += row.request_count;
      sum.failures += row.failed_count;
      sum.quota += row.quota;
      sum.cost += row.cost;
      sum.costed += row.costed;
    }
    total.prompt_tokens += row.prompt_tokens;
    total.completion_tokens += row.completion_tokens;
    total.cache_input += row.cache_input;
    total.cache_read += row.cache_read;
    total.cache_saved += row.cache_saved;
  }
  const largest = [...parts.values()].toSorted((a, b) => b.requests - a.requests || b.quota - a.quota);
  const inCredits = <Sum extends { cost: number }>(sum: Sum): Sum => ({ ...sum, cost: sum.cost / COST_UNITS });
  return { total: inCredits(total), parts: largest.slice(0, LISTED_PARTS).map(inCredits) };
}

/** Refused calls by reason. Equal ones share a row for an hour, so there are few. */
async function refusalsOf(
  db: Db,
  column: 'user_id' | 'token_id',
  id: number,
  { from }: ActivityPeriod,
): Promise<Activity['refusals']> {
  const rows = await db
    .selectFrom('refusals')
    .where(column, '=', id)
    // Both conditions are in an index of their column.
    .where(column === 'user_id' ? 'created_at' : 'hour', '>=', from)
    .groupBy(['reason', 'status'])
    .select(['reason', 'status', ({ fn }) => fn.sum<number | string>('count').as('count')])
    .execute();
  return rows
    .map(({ reason, status, count }) => ({ reason, status, count: Number(count) }))
    .toSorted((a, b) => b.count - a.count);
}
