import type { Log } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { stretchesFor } from './log-page.ts';
import type { LogRow } from './log-queries.ts';
import { readRows, withChannels, withoutChannel } from './log-queries.ts';
import type { Direction, Place } from './log-path.ts';
import { pathOf } from './log-path.ts';
import type { LogFilters, LogSearch } from './log-search.ts';
import { searchOf } from './log-search.ts';
import { directionOf } from './log-sort.ts';
import { walk } from './log-walk.ts';

/** Few, because whoever reads them holds up the calls that are being relayed meanwhile. */
const ROWS_A_READ = 100;

interface Asked extends LogFilters {
  order: string;
}

/** Everybody's rows that the filters find, in the order of time; each read is short, however many there are. */
export async function* allLogs(db: Db, { order, ...filters }: Asked): AsyncGenerator<Log, void> {
  for await (const rows of readAll(db, await searchOf(db, filters), directionOf(order) ?? 'desc'))
    yield* await withChannels(db, rows);
}

/** A user's own. */
export async function* allOwnLogs(db: Db, userId: number, { order, ...filters }: Asked): AsyncGenerator<Log, void> {
  for await (const rows of readAll(db, await searchOf(db, filters, userId), directionOf(order) ?? 'desc'))
    yield* rows.map(withoutChannel);
}

async function* readAll(db: Db, search: LogSearch, going: Direction): AsyncGenerator<LogRow[], void> {
  let last: Place | undefined;
  do {
    const { places } = await walk(db, pathOf(search), stretchesFor(db, search, going, last), {
      going,
      skip: 0,
      take: ROWS_A_READ,
      deadlineMs: Infinity,
    });
    const ids = places.map(({ id }) => id);
    yield await readRows(db, ids);
    last = places.length === ROWS_A_READ ? places.at(-1) : undefined;
  } while (last);
}
