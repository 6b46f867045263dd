import type { Log } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { FIRST_REFUSAL } from '#refusals/first-refusal.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import { walkAll } from './log-merge.ts';
import { stretchesFor } from './log-page.ts';
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

interface LogExportQuery extends LogFilters {
  order: string;
}

/** All matching rows in chronological order, in short reads. */
export async function* allLogs(db: Db, { order, ...filters }: LogExportQuery): AsyncGenerator<Log, void> {
  for await (const rows of readAll(db, await searchOf(db, filters), directionOf(order) ?? 'desc'))
    yield* await withChannels(db, rows);
}

/** One user's matching rows. */
export async function* allOwnLogs(
  db: Db,
  userId: number,
  { order, ...filters }: LogExportQuery,
): AsyncGenerator<Log, void> {
  for await (const rows of readAll(db, await searchOf(db, filters, userId), directionOf(order) ?? 'desc'))
    yield* rows.map(withoutChannel);
}

async function* readAll(db: Db, search: LogSearch, going: Direction): AsyncGenerator<LogRow[], void> {
  const since = Math.floor(Date.now() / 1000) - MOVES_S;
  const asksRefused = search.withRefused || search.type === logType.refused;
  // A row of refused calls moves to the time of its latest call; the export still contains it once.
  const moving = new Set(asksRefused ? await refusedSince(db, search, since) : []);
  const read = new Set<number>();
  let last: LogPosition | undefined;
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
