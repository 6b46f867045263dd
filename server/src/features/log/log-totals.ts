import type { LogTotals } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { UsageSums } from '#db/tables/roll-ups.ts';
import { usageBlocks } from '#roll-ups/usage-blocks.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { addUsage, hourOf, noUsage } from '#roll-ups/usage-scope.ts';
import { cleanedBefore, knownFrom } from './log-blocks.ts';
import type { LogPath, LogInterval } from './log-path.ts';
import { isOfAll, lostPathOf, pathOf, rowsOf } from './log-path.ts';
import type { LogFilters, LogSearch } from './log-search.ts';
import { scopeOf, searchOf } from './log-search.ts';
import { placeAfter } from './log-walk.ts';
import { countRefused } from './refused-rows.ts';

const SUMMED_MS = 30;
const STEP = 5000;

interface LogSums {
  sums: UsageSums;
  /** Start of the summed range; 0 for everything. */
  since: number;
}

/** Sums over the matching calls, optionally of one user. */
export async function totalsOf(db: Db, filters: LogFilters, userId?: number, budgetMs = SUMMED_MS): Promise<LogTotals> {
  const parsed = await searchOf(db, filters, userId);
  const ofCalls = (parsed.type ?? logType.consume) === logType.consume;
  const search = { ...parsed, type: logType.consume };
  const scope = search.failed ? undefined : scopeOf(search);
  const { sums, since } = !ofCalls
    ? { sums: noUsage, since: 0 }
    : scope
      ? await fromRollUps(db, search, scope, budgetMs)
      : await fromRows(db, pathOf(search), search, budgetMs);
  const {
    request_count: requests,
    failed_count: failures,
    quota,
    prompt_tokens,
    completion_tokens,
    cached_tokens,
  } = sums;
  const asksRefused = parsed.type === logType.refused || (filters.refused === 1 && parsed.withRefused);
  const refused = asksRefused ? await countRefused(db, parsed) : undefined;
  const totals = { quota, requests, failures, prompt_tokens, completion_tokens, cached_tokens, since };
  return refused === undefined ? totals : { ...totals, refused };
}

/** Whole hours from the roll-ups, which survive clean-ups; partial hours at both ends from the rows. */
async function fromRollUps(db: Db, search: LogSearch, scope: UsageScope, budgetMs: number): Promise<LogSums> {
  const [first, until] = [await knownFrom(db, search), hourOf(search.to + 1)];
  const path = pathOf(search);
  if (until <= first) return fromRows(db, path, search, budgetMs);
  const parts = [
    ...(await usageBlocks(db, scope, first, until)),
    (await fromRows(db, path, { from: until, to: search.to }, budgetMs)).sums,
  ];
  if (isOfAll(search))
    parts.push((await fromRows(db, lostPathOf(search), { from: first, to: until - 1 }, budgetMs)).sums);
  const cleaned = search.from < first && (await cleanedBefore(db)) > search.from;
  const before = cleaned
    ? { sums: noUsage, since: first }
    : await fromRows(db, path, { from: search.from, to: first - 1 }, budgetMs);
  return { sums: parts.reduce<UsageSums>(addUsage, before.sums), since: before.since };
}

/** Adds rows, newest first, until the time is up. */
async function fromRows(
  db: Db,
  path: LogPath,
  { from, to }: { from: number; to: number },
  budgetMs: number,
): Promise<LogSums> {
  let sums = noUsage;
  if (from > to) return { sums, since: 0 };
  const deadlineMs = performance.now() + budgetMs;
  const whole: LogInterval = { from, to };
  for (let past: LogInterval['past']; ;) {
    const end = await placeAfter(db, path, { ...whole, past }, { going: 'desc', rows: STEP });
    const piece: LogInterval = { ...whole, past, until: end && { place: end, going: 'desc' } };
    const sum = await rowsOf(db, path, piece).select(sumsOfRows).executeTakeFirstOrThrow();
    sums = addUsage(sums, sum);
    if (!end) return { sums, since: 0 };
    if (performance.now() > deadlineMs) return { sums, since: end.at };
    past = { place: end, going: 'desc' };
  }
}

const sumOf = (column: string) => sql<number>`coalesce(sum(${sql.ref(column)}), 0)`;
const sumsOfRows = [
  sql<number>`count(*)`.as('request_count'),
  sql<number>`coalesce(sum(case when failed then 1 else 0 end), 0)`.as('failed_count'),
  sumOf('quota').as('quota'),
  sumOf('prompt_tokens').as('prompt_tokens'),
  sumOf('completion_tokens').as('completion_tokens'),
  sumOf('cached_tokens').as('cached_tokens'),
  sumOf('request_time').as('request_time'),
  // The totals of the log do not show them.
  ...(['cache_input', 'cache_read', 'cache_saved', 'cost', 'costed'] as const).map((name) => sql<number>`0`.as(name)),
];
