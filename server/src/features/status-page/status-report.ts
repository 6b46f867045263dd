import {
  announcementText,
  FEWEST_CALLS,
  type Language,
  type ModelState,
  type StatusEndpoint,
  statusEndpoints,
  type StatusReport,
} from '@relay-hub/contract';
import { speedMeasure } from '#db/speed-buckets.ts';
import type { Deps } from '#deps.ts';
import { dayAgo, dayEnd } from '#roll-ups/local-days.ts';
import { mergeSpeeds, quantilesOf } from '#roll-ups/speed-histogram.ts';
import { speedCounts } from '#roll-ups/speeds.ts';
import { usageByGroup } from '#roll-ups/usage-by-group.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { namesAt } from '#relay/select/channel-offer.ts';
import { offeredModels } from '#relay/select/offered-models.ts';
import { statusEndpointOf } from '#live/endpoint-calls.ts';
import { callFailures } from './call-failures.ts';

export const DAYS = 90;
const KEPT_S = 60;

type StatusDeps = Pick<Deps, 'db' | 'live' | 'now'>;

/** Calls of a billed name or an endpoint: the last hours, all days together, and each day. */
class Sums {
  readonly recent = { calls: 0, failed: 0, speeds: new Map<number, number>() };
  readonly total = { calls: 0, failed: 0, speeds: new Map<number, number>() };
  readonly days = Array.from({ length: DAYS }, () => ({ calls: 0, failed: 0 }));
}

interface AllSums {
  time: number;
  recentFrom: number;
  days: number[];
  byModel: Map<string, Sums>;
  byEndpoint: Map<StatusEndpoint, Sums>;
}

/** Sums of roll-ups, read at most once a minute. */
export class StatusSums {
  readonly #deps: StatusDeps;
  #kept: Promise<AllSums> | undefined;
  #until = 0;

  constructor(deps: StatusDeps) {
    this.#deps = deps;
  }

  get(): Promise<AllSums> {
    const now = this.#deps.now();
    if (this.#kept && now < this.#until) return this.#kept;
    this.#until = now + KEPT_S;
    this.#kept = readSums(this.#deps, now);
    // A failed read is not kept.
    this.#kept.catch(() => (this.#until = 0));
    return this.#kept;
  }
}

/** The sums of a name; new ones at first. */
function sumsIn<Name>(all: Map<Name, Sums>, name: Name): Sums {
  const known = all.get(name) ?? new Sums();
  all.set(name, known);
  return known;
}

async function readSums({ db, live }: StatusDeps, now: number): Promise<AllSums> {
  const thisHour = now - (now % HOUR_S);
  const [recentFrom, until] = [thisHour - HOUR_S, thisHour + HOUR_S];
  const starts = Array.from({ length: DAYS }, (_, at) => dayAgo(now, DAYS - 1 - at));
  const points = starts.map((start) => ({ start, end: dayEnd(start) }));
  const [from = recentFrom] = starts;
  const byModel = new Map<string, Sums>();
  const byEndpoint = new Map<StatusEndpoint, Sums>();
  const of = (model: string): Sums => sumsIn(byModel, model);
  const dayOf = (start: number): number => starts.findLastIndex((day) => day <= start);
  const add = (sums: Sums, start: number, part: 'calls' | 'failed', count: number): void => {
    sums.total[part] += count;
    const day = sums.days[dayOf(start)];
    if (day) day[part] += count;
  };

  for (const { key, start, request_count: calls } of await usageByGroup(db, { by: 'model', from, until, points }))
    add(of(key), start, 'calls', calls);
  for (const { key, request_count: calls } of await usageByGroup(db, { by: 'model', from: recentFrom, until }))
    of(key).recent.calls += calls;
  /** The same in the last hours, too. */
  const addHour = (sums: Sums, hour: number, part: 'calls' | 'failed', count: number): void => {
    add(sums, hour, part, count);
    if (hour >= recentFrom) sums.recent[part] += count;
  };
  for (const { model, endpoint, hour, calls, isRefusal } of await callFailures(db, from, until)) {
    // A refused call is in no roll-up of usage.
    const refused = isRefusal ? [sumsIn(byEndpoint, statusEndpointOf(endpoint))] : [];
    for (const sums of [of(model), ...refused]) {
      addHour(sums, hour, 'failed', calls);
      if (isRefusal) addHour(sums, hour, 'calls', calls);
    }
  }
  await live.endpointCalls.flush();
  const rows = db.selectFrom('calls_by_endpoint').where('hour', '<', until);
  for (const { endpoint, hour, measure, calls } of await rows
    .where('hour', '>=', from)
    .where('measure', '<>', 'first')
    .selectAll()
    .execute())
    if (measure !== 'first') addHour(sumsIn(byEndpoint, endpoint), hour, measure, calls);
  for (const [part, since] of [
    ['total', from],
    ['recent', recentFrom],
  ] as const)
    for (const { key, measure, bucket, calls } of await speedCounts(db, { by: 'model', from: since, until }))
      if (measure === speedMeasure.firstToken) {
        const { speeds } = of(key)[part];
        speeds.set(bucket, (speeds.get(bucket) ?? 0) + calls);
      }
  for (const [part, since] of [
    ['total', from],
    ['recent', recentFrom],
  ] as const)
    for (const { endpoint, bucket, calls } of await rows
      .where('hour', '>=', since)
      .where('measure', '=', 'first')
      .groupBy(['endpoint', 'bucket'])
      .select(({ fn }) => ['endpoint', 'bucket', fn.sum<number>('calls').as('calls')])
      .execute())
      sumsIn(byEndpoint, endpoint)[part].speeds.set(bucket, calls);
  return { time: now, recentFrom, days: starts, byModel, byEndpoint };
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
  const { time, recentFrom, days, byModel, byEndpoint } = await cache.get();
  const names = new Map<string, Set<string>>();
  for (const { symbol, public: isPublic } of live.groups.values()) {
    if (!isPublic && symbol !== group) continue;
    for (const model of offeredModels(live, symbol)) {
      // Calls are counted by the name that is billed, which the mapping of a channel may change.
      const billed = live.routes.channelsFor(symbol, model).map((channel) => namesAt(channel, model).billed);
      names.set(model, new Set([...(names.get(model) ?? []), ...billed]));
    }
  }
  const figuresOf = (sums: readonly Sums[], part: 'recent' | 'total') => {
    const all = sums.map((each) => each[part]);
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
  const reportOf = (sums: readonly Sums[]) => {
    const recent = figuresOf(sums, 'recent');
    return {
      state: stateOf(recent),
      recent,
      total: figuresOf(sums, 'total'),
      days: days.map((_, at) => {
        const calls = sums.reduce((sum, own) => sum + (own.days[at]?.calls ?? 0), 0);
        const failed = sums.reduce((sum, own) => sum + (own.days[at]?.failed ?? 0), 0);
        return { calls, success: share(calls, failed) };
      }),
    };
  };
  const models = [...names].map(([name, billed]) => ({
    name,
    ...reportOf([...billed].flatMap((each) => byModel.get(each) ?? [])),
  }));
  return {
    time,
    recent_from: recentFrom,
    days,
    models: models.toSorted((a, b) => b.total.calls - a.total.calls || (a.name < b.name ? -1 : 1)),
    endpoints: statusEndpoints.flatMap((name) => {
      const sums = byEndpoint.get(name);
      return sums && sums.total.calls > 0 ? { name, ...reportOf([sums]) } : [];
    }),
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
