import { logType } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { UsageBlock } from '#roll-ups/usage-blocks.ts';
import { usageBlocks, usageHours } from '#roll-ups/usage-blocks.ts';
import type { UsageScope } from '#roll-ups/usage-scope.ts';
import { hourFrom, hourOf, HOUR_S } from '#roll-ups/usage-scope.ts';
import type { Direction, LogPath, LogInterval } from './log-path.ts';
import { isOfAll, lostPathOf, notePathOf, pathOf, rowsOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { countRows } from './log-walk.ts';

/** A time interval with its number of matching rows. `end` is exclusive. */
export interface LogBlock {
  start: number;
  end: number;
  rows: number;
  /** Whole hours counted by the roll-ups; otherwise rows were counted. */
  whole: boolean;
}

export interface LogBlocks {
  /** Newest first; empty blocks are left out. */
  blocks: LogBlock[];
  /** Counting stopped early. */
  more: boolean;
}

const MOST_AT_AN_EDGE = 20_000;
const EDGE_MS = 15;

/** Calls before this time may have been deleted; later ones are complete. */
export async function cleanedBefore(db: Db): Promise<number> {
  const cleanup = await db.selectFrom('log_cleanup').where('id', '=', 1).select('cleaned_before').executeTakeFirst();
  return cleanup?.cleaned_before ?? 0;
}

/**
 * Start of the first hour of which the roll-ups know all calls of a search: by token, usage before the update or imported
 * may count for token 0.
 */
export async function knownFrom(db: Db, { from, tokenId }: Pick<LogSearch, 'from' | 'tokenId'>): Promise<number> {
  if (tokenId === undefined) return hourFrom(from);
  const { hour } = await db
    .selectFrom('usage_by_token')
    .where('token_id', '=', 0)
    .select(({ fn }) => fn.max<number | null>('hour').as('hour'))
    .executeTakeFirstOrThrow();
  return Math.max(hourFrom(from), hour === null ? 0 : hour + HOUR_S);
}

/**
 * The distribution of matching rows without counting them all: roll-ups give the calls of each whole hour, and rows
 * that are no calls are rare. Rows are counted only in partial hours and where calls were deleted.
 */
export async function logBlocks(db: Db, search: LogSearch, scope: UsageScope, read = usageBlocks): Promise<LogBlocks> {
  const path = pathOf(search);
  const first = Math.max(await knownFrom(db, search), hourFrom(await cleanedBefore(db)));
  const until = hourOf(search.to + 1);
  if (until <= first) return edges(db, path, [{ from: search.from, to: search.to }]);
  const whole = await wholeHours(db, search, await read(db, scope, first, until), { first, until });
  const [newest, oldest] = await Promise.all([
    edges(db, path, [{ from: until, to: search.to }]),
    edges(db, path, [{ from: search.from, to: first - 1 }]),
  ]);
  return { blocks: [...newest.blocks, ...whole, ...oldest.blocks], more: newest.more || oldest.more };
}

/** Splits a block of several hours into hours. */
export async function hoursOf(db: Db, search: LogSearch, scope: UsageScope, block: LogBlock): Promise<LogBlock[]> {
  const { start: first, end: until } = block;
  if (!block.whole || until - first <= HOUR_S) return [block];
  return wholeHours(db, search, await usageHours(db, scope, first, until), { first, until });
}

/** Intervals that contain matching rows, so that rare rows are found without reading everything between them. */
export async function* stretchesOf(
  db: Db,
  search: LogSearch,
  scope: UsageScope,
  going: Direction,
): AsyncGenerator<LogInterval, void> {
  let last: LogInterval | undefined;
  for await (const { start, end } of hoursWithRows(db, search, scope, going)) {
    const next = { from: Math.max(start, search.from), to: Math.min(end - 1, search.to) };
    const joined = last && { from: Math.min(last.from, next.from), to: Math.max(last.to, next.to) };
    const touches = last && (next.to === last.from - 1 || next.from === last.to + 1);
    if (joined && touches && joined.to - joined.from < DAY_S) last = joined;
    else {
      if (last) yield last;
      last = next;
    }
  }
  if (last) yield last;
}

const DAY_S = 24 * HOUR_S;
/** Below this number of rows per day, a daily block would mostly be read in vain. */
const FEW_IN_A_DAY = 2000;

async function* hoursWithRows(
  db: Db,
  search: LogSearch,
  scope: UsageScope,
  going: Direction,
): AsyncGenerator<LogBlock, void> {
  // For one user or token, hours are as fast to read as days.
  const one = (search.userId ?? search.tokenId) !== undefined;
  const { blocks } = await logBlocks(db, search, scope, one ? usageHours : usageBlocks);
  for (const block of inOrder(blocks, going))
    yield* block.rows < FEW_IN_A_DAY ? inOrder(await hoursOf(db, search, scope, block), going) : [block];
}

export const inOrder = <T>(newestFirst: T[], going: Direction): T[] =>
  going === 'desc' ? newestFirst : newestFirst.toReversed();

async function edges(db: Db, path: LogPath, stretches: LogInterval[]): Promise<LogBlocks> {
  const found: LogBlocks = { blocks: [], more: false };
  for (const stretch of stretches) {
    if (stretch.to < stretch.from) continue;
    const deadlineMs = performance.now() + EDGE_MS;
    const { rows, more } = await countRows(db, path, stretch, { most: MOST_AT_AN_EDGE, deadlineMs });
    if (rows > 0) found.blocks.push({ start: stretch.from, end: stretch.to + 1, rows, whole: false });
    found.more ||= more;
  }
  return found;
}

/**
 * Adds rows that roll-ups do not count to their hours: rows that are no calls, and calls without a known channel.
 * Newest first.
 */
async function wholeHours(
  db: Db,
  search: LogSearch,
  usage: UsageBlock[],
  { first, until }: { first: number; until: number },
): Promise<LogBlock[]> {
  const blocks = usage
    .map((block) => ({
      start: block.start,
      end: block.end,
      whole: true,
      rows: search.failed ? block.failed_count : block.request_count,
    }))
    .filter(({ rows }) => rows > 0);
  // Only calls have a token.
  const callsOnly = search.failed || search.type === logType.consume || search.tokenId !== undefined;
  const paths = [...(callsOnly ? [] : [notePathOf(search)]), ...(isOfAll(search) ? [lostPathOf(search)] : [])];
  for (const path of paths) {
    for (const { hour, rows } of await rowsByHour(db, path, { from: first, to: until - 1 })) {
      const block = blocks.find(({ start, end }) => start <= hour && hour < end);
      if (block) block.rows += rows;
      else blocks.push({ start: hour, end: hour + HOUR_S, rows, whole: true });
    }
  }
  return blocks.toSorted((a, b) => b.start - a.start);
}

async function rowsByHour(db: Db, path: LogPath, stretch: LogInterval): Promise<{ hour: number; rows: number }[]> {
  return rowsOf(db, path, stretch)
    .select([
      sql<number>`created_at - created_at % ${sql.lit(HOUR_S)}`.as('hour'),
      ({ fn }) => fn.countAll<number>().as('rows'),
    ])
    .groupBy('hour')
    .execute();
}
