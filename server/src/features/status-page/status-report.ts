import { announcementText, FEWEST_CALLS, type Language, type ModelState, type StatusReport } from '@relay-hub/contract';
import { speedMeasure } from '#db/speed-buckets.ts';
import type { Deps } from '#deps.ts';
import { dayAgo, dayEnd } from '#roll-ups/local-days.ts';
import { mergeSpeeds, quantilesOf } from '#roll-ups/speed-histogram.ts';
import { speedCounts } from '#roll-ups/speeds.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { namesAt } from '#relay/select/channel-offer.ts';
import { offeredModels } from '#relay/select/offered-models.ts';
import { callFailures } from './call-failures.ts';

export const DAYS = 90;
const KEPT_S = 60;

type StatusDeps = Pick<Deps, 'db' | 'live' | 'now'>;

/** Calls of a billed name: the last hours, all days together, and each day. */
class ModelSums {
  readonly recent = { calls: 0, failed: 0, speeds: new Map<number, number>() };
  readonly total = { calls: 0, failed: 0, speeds: new Map<number, number>() };
  readonly days = Array.from({ length: DAYS }, () => ({ calls: 0, failed: 0 }));
}

interface Sums {
  time: number;
  recentFrom: number;
  days: number[];
  byModel: Map<string, ModelSums>;
}

/** Sums of roll-ups, read at most once a minute. */
export class StatusSums {
  readonly #deps: StatusDeps;
  #kept: Promise<Sums> | undefined;
  #until = 0;

  constructor(deps: StatusDeps) {
    this.#deps = deps;
  }

  get(): Promise<Sums> {
    const now = this.#deps.now();
    if (this.#kept && now < this.#until) return this.#kept;
    this.#until = now + KEPT_S;
    this.#kept = readSums(this.#deps, now);
    // A failed read is not kept.
    this.#kept.catch(() => (this.#until = 0));
    return this.#kept;
  }
}

async function readSums({ db }: StatusDeps, now: number): Promise<Sums> {
  const thisHour = now - (now % HOUR_S);
  const [recentFrom, until] = [thisHour - HOUR_S, thisHour + HOUR_S];
  const starts = Array.from({ length: DAYS }, (_, at) => dayAgo(now, DAYS - 1 - at));
  const points = starts.map((start) => ({ start, end: dayEnd(start) }));
  const [from = recentFrom] = starts;
  const byModel = new Map<string, ModelSums>();
  const of = (model: string): ModelSums => {
    const known = byModel.get(model) ?? new ModelSums();
    byModel.set(model, known);
    return known;
  };
  const dayOf = (start: number): number => starts.findLastIndex((day) => day <= start);
  const add = (model: string, start: number, part: 'calls' | 'failed', count: number): void => {
    const sums = of(model);
    sums.total[part] += count;
    const day = sums.days[dayOf(start)];
    if (day) day[part] += count;
  };

  for (const { key, start, request_count: calls } of await usageByGroup(db, { by: 'model', from, until, points }))
    add(key, start, 'calls', calls);
  for (const { key, request_count: calls } of await usageByGroup(db, { by: 'model', from: recentFrom, until }))
    of(key).recent.calls += calls;
  for (const { model, hour, calls, isRefusal } of await callFailures(db, from, until)) {
    add(model, hour, 'failed', calls);
    // A refused call is in no roll-up of usage.
    if (isRefusal) add(model, hour, 'calls', calls);
    if (hour < recentFrom) continue;
    of(model).recent.failed += calls;
    if (isRefusal) of(model).recent.calls += calls;
  }
  for (const [part, since] of [
    ['total', from],
    ['recent', recentFrom],
  ] as const)
    for (const { key, measure, bucket, calls } of await speedCounts(db, { by: 'model', from: since, until }))
      if (measure === speedMeasure.firstToken) {
        const { speeds } = of(key)[part];
        speeds.set(bucket, (speeds.get(bucket) ?? 0) + calls);
      }
  return { time: now, recentFrom, days: starts, byModel };
}

/** Who reads the page; undefined group: a visitor. */
interface Reader {
  group: string | undefined;
  language: Language;
}

/** The page for a reader: models of public groups and of the own one, without anything of their channels. */
export async function statusReport(
  deps: StatusDeps,
  cache: StatusSums,
  { group, language }: Reader,
): Promise<StatusReport> {
  const { db, live, now } = deps;
  const { settings } = live;
  const { time, recentFrom, days, byModel } = await cache.get();
  const names = new Map<string, Set<string>>();
  for (const { symbol, public: isPublic } of live.groups.values()) {
    if (!isPublic && symbol !== group) continue;
    for (const model of offeredModels(live, symbol)) {
      // Calls are counted by the name that is billed, which the mapping of a channel may change.
      const billed = live.routes.channelsFor(symbol, model).map((channel) => namesAt(channel, model).billed);
      names.set(model, new Set([...(names.get(model) ?? []), ...billed]));
    }
  }
  const figuresOf = (billed: ReadonlySet<string>, part: 'recent' | 'total') => {
    const all = [...billed].flatMap((name) => byModel.get(name)?.[part] ?? []);
    const calls = all.reduce((sum, each) => sum + each.calls, 0);
    const failed = all.reduce((sum, each) => sum + each.failed, 0);
    const speeds = quantilesOf(mergeSpeeds(all.flatMap((each) => [...each.speeds])));
    return { calls, success: share(calls, failed), first_token: speeds.calls < FEWEST_CALLS ? null : speeds.p50 };
  };
  const stateOf = ({ success }: { success: number | null }): ModelState => {
    if (success === null) return 'quiet';
    if (success * 100 < settings.SuccessRatePoor) return 'failing';
    return success * 100 < settings.SuccessRateFine ? 'degraded' : 'fine';
  };
  const models = [...names].map(([name, billed]) => {
    const recent = figuresOf(billed, 'recent');
    const perDay = [...billed].flatMap((each) => byModel.get(each) ?? []);
    return {
      name,
      state: stateOf(recent),
      recent,
      total: figuresOf(billed, 'total'),
      days: days.map((_, at) => {
        const calls = perDay.reduce((sum, own) => sum + (own.days[at]?.calls ?? 0), 0);
        const failed = perDay.reduce((sum, own) => sum + (own.days[at]?.failed ?? 0), 0);
        return { calls, success: share(calls, failed) };
      }),
    };
  });
  return {
    time,
    recent_from: recentFrom,
    days,
    models: models.toSorted((a, b) => b.total.calls - a.total.calls || (a.name < b.name ? -1 : 1)),
    incidents: await publishedIncidents(db, now()),
    maintenance: live.announcements.planned(now()).map(({ id, texts, start_time, end_time }) => ({
      id,
      text: announcementText(texts, language, settings.Language),
      start_time,
      end_time,
    })),
  };
}

const share = (calls: number, failed: number): number | null =>
  calls < FEWEST_CALLS ? null : Math.max(0, 1 - failed / calls);

/** Open and recent incidents that an operator published. */
const publishedIncidents = (db: StatusDeps['db'], now: number) =>
  db
    .selectFrom('incidents')
    .where('public_words', 'is not', null)
    .where(({ or, eb }) => or([eb('closed_at', '=', 0), eb('closed_at', '>', now - DAYS * 86_400)]))
    .select(['id', 'began_at', 'closed_at'])
    .select((eb) => eb.fn.coalesce('public_words', eb.val('')).as('words'))
    .orderBy('began_at', 'desc')
    .limit(100)
    .execute();
