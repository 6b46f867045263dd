import type { Log } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { FIRST_REFUSAL } from '#refusals/first-refusal.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { walkAll } from './log-merge.ts';
import { cursorOf, placeOf, stretchesFor } from './log-page.ts';
import type { LogRow } from './log-row.ts';
import { readRows, withChannels, withoutChannel } from './log-queries.ts';
import type { Direction, LogPosition } from './log-path.ts';
import type { LogFilters, LogSearch } from './log-search.ts';
import { searchOf } from './log-search.ts';
import { directionOf } from './log-sort.ts';
import { refusedSince } from './refused-rows.ts';

/** Small, because each read blocks relayed calls on SQLite. */
const ROWS_A_READ = 100;

/** Refused calls are added to a row for an hour and written with a short delay. */
const MOVES_S = HOUR_S + 60;

export interface LogExportQuery extends LogFilters {
  order: string;
  /** Cursor of the last part; empty: from the beginning. */
  after: string;
  /** Rows of this part; 0: all. */
  limit: number;
}

/** Rows of an export, with the cursor of the next part; empty: there is none. */
export interface LogExport {
  rows: AsyncIterable<Log>;
  next: string;
}

/** Time for finding the rows of a part, whose cursor is sent before them. A part may have fewer rows than its limit. */
const PART_MS = 2000;

/** Matching rows in chronological order, in short reads. */
export async function allLogs(db: Db, query: LogExportQuery): Promise<LogExport> {
  const { pages, next } = await partOf(db, await searchOf(db, query), query);
  return { rows: flat(pages, (rows) => withChannels(db, rows)), next };
}

/** One user's matching rows. */
export async function allOwnLogs(db: Db, userId: number, query: LogExportQuery): Promise<LogExport> {
  const { pages, next } = await partOf(db, await searchOf(db, query, userId), query);
  return { rows: flat(pages, async (rows) => rows.map(withoutChannel)), next };
}

async function* flat<From, To>(
  pages: AsyncIterable<From[]>,
  each: (page: From[]) => Promise<To[]>,
): AsyncGenerator<To, void> {
  for await (const page of pages) yield* await each(page);
}

async function partOf(
  db: Db,
  search: LogSearch,
  { order, after, limit }: LogExportQuery,
): Promise<{ pages: AsyncIterable<LogRow[]>; next: string }> {
  const going = directionOf(order) ?? 'desc';
  const from = after === '' ? undefined : placeOf(after);
  if (limit === 0) return { pages: readAll(db, search, going, from), next: '' };
  const how = { going, skip: 0, take: limit, deadlineMs: performance.now() + PART_MS };
  const { places, stopped } = await walkAll(db, search, stretchesFor(db, search, going, from), { ...how, after: from });
  return {
    pages: readPlaces(db, places),
    next: cursorOf(places.length === limit ? places.at(-1) : stopped),
  };
}

async function* readPlaces(db: Db, places: readonly LogPosition[]): AsyncGenerator<LogRow[], void> {
  for (let at = 0; at < places.length; at += ROWS_A_READ) yield await readRows(db, places.slice(at, at + ROWS_A_READ));
}

async function* readAll(
  db: Db,
  search: LogSearch,
  going: Direction,
  after: LogPosition | undefined,
): AsyncGenerator<LogRow[], void> {
  const since = Math.floor(Date.now() / 1000) - MOVES_S;
  const asksRefused = search.withRefused || search.type === logType.refused;
  // A row of refused calls moves to the time of its latest call; the export still contains it once.
  const moving = new Set(asksRefused ? await refusedSince(db, search, since) : []);
  const read = new Set<number>();
  let last = after;
  do {
    const how = { going, skip: 0, take: ROWS_A_READ, deadlineMs: Infinity };
    const { places } = await walkAll(db, search, stretchesFor(db, search, going, last), { ...how, after: last });
    const fresh = places.filter(({ id }) => !read.has(id));
    for (const { at, id } of fresh) if (id >= FIRST_REFUSAL && at >= since) read.add(id);
    yield await readRows(db, fresh);
    last = places.length === ROWS_A_READ ? places.at(-1) : undefined;
  } while (last);
  const missed = [...moving].filter((id) => !read.has(id)).map((id) => ({ id }));
  for (let at = 0; at < missed.length; at += ROWS_A_READ) yield await readRows(db, missed.slice(at, at + ROWS_A_READ));
}
