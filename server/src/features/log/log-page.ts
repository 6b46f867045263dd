import type { ListQuery } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { hoursOf, inOrder, logBlocks, stretchesOf } from './log-blocks.ts';
import type { Direction, LogPosition, LogInterval } from './log-path.ts';
import { opposite, pathOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { scopeOf } from './log-search.ts';
import { HOUR_S } from '#roll-ups/usage-scope.ts';
import type { TimeLimits } from './log-walk.ts';
import { MERGED_ROWS, walkAll } from './log-merge.ts';

export interface PageQuery extends ListQuery {
  after: string;
  before: string;
}

/** The positions of a page's rows with its cursors. */
export interface FoundPage {
  places: LogPosition[];
  /** Cursor as in the contract's `LogPage`. */
  next: string;
  previous: string;
  searched_to: number;
}

/** An index skips this many rows in a millisecond; beyond, roll-ups are faster. */
const FOLLOWED_ROWS = 10_000;
/** Limit for skipping where rows must be read; 0 for model filters, which use roll-ups anyway. */
const READ_ROWS = 1000;

const LAST_PAGE = 1_000_000_000;
const nothing: FoundPage = { places: [], next: '', previous: '', searched_to: 0 };

/** Finds a page of matching rows in chronological order. */
export async function findPage(
  db: Db,
  search: LogSearch,
  query: PageQuery,
  { going, budget }: { going: Direction; budget: TimeLimits },
): Promise<FoundPage> {
  if (query.before !== '') return pageBefore(db, search, query, { going, budget });
  const { size, after } = query;
  const start: Start | undefined =
    after === ''
      ? await startOf(db, search, (Math.min(query.page, LAST_PAGE) - 1) * size, going)
      : { search, stretches: stretchesFor(db, search, going, placeOf(after)), skip: 0 };
  if (!start) return nothing;
  const how = { going, skip: start.skip, take: size + 1, deadlineMs: performance.now() + budget.pageMs };
  const from = after === '' ? undefined : placeOf(after);
  const { places, stopped, left } = await walkAll(db, start.search, start.stretches, { ...how, after: from });
  const pagePositions = places.slice(0, size);
  return {
    places: pagePositions,
    // Rows that were still to be skipped belong to earlier pages.
    next: places.length > size ? cursorOf(pagePositions.at(-1)) : left > 0 ? '' : cursorOf(stopped),
    previous: query.page > 1 || after !== '' ? cursorOf(pagePositions[0]) : '',
    searched_to: stopped?.at ?? 0,
  };
}

/** The rows before a cursor; the first page if there are fewer. */
async function pageBefore(
  db: Db,
  search: LogSearch,
  query: PageQuery,
  { going, budget }: { going: Direction; budget: TimeLimits },
): Promise<FoundPage> {
  const back = opposite(going);
  const { size } = query;
  const from = placeOf(query.before);
  const how = { going: back, skip: 0, take: size + 1, deadlineMs: performance.now() + budget.pageMs };
  const { places, stopped } = await walkAll(db, search, stretchesFor(db, search, back, from), { ...how, after: from });
  if (places.length < size && !stopped)
    return findPage(db, search, { ...query, page: 1, after: '', before: '' }, { going, budget });
  const pagePositions = places.slice(0, size).toReversed();
  return {
    places: pagePositions,
    next: cursorOf(pagePositions.at(-1)),
    previous: places.length > size ? cursorOf(pagePositions[0]) : cursorOf(stopped),
    searched_to: stopped?.at ?? 0,
  };
}

interface Start {
  search: LogSearch;
  stretches: AsyncIterable<LogInterval>;
  skip: number;
}

/** Where to start for a page behind `skip` rows; undefined if there are fewer rows. */
async function startOf(db: Db, search: LogSearch, skip: number, going: Direction): Promise<Start | undefined> {
  const scope = scopeOf(search);
  const followed = isGuided(search) ? 0 : pathOf(search).rest.length > 0 ? READ_ROWS : FOLLOWED_ROWS;
  if (!scope || skip <= followed || (search.withRefused && skip <= MERGED_ROWS))
    return { search, stretches: stretchesFor(db, search, going), skip };
  // At this depth, merged refused calls can only be paged by cursor.
  let left = skip;
  const { blocks } = await logBlocks(db, search, scope);
  for (const block of inOrder(blocks, going)) {
    if (left >= block.rows) {
      left -= block.rows;
      continue;
    }
    for (const hour of inOrder(await hoursOf(db, search, scope, block), going)) {
      if (left < hour.rows) {
        const rest = going === 'desc' ? { to: hour.end - 1 } : { from: hour.start };
        const there = { ...search, ...rest };
        return { search: there, stretches: stretchesFor(db, there, going), skip: left };
      }
      left -= hour.rows;
    }
  }
  return undefined;
}

/** Models have no index, so it pays to know which hours to read. Failed calls are few anyway. */
const isGuided = ({ model, failed }: LogSearch): boolean => model !== undefined && !failed;

/** The intervals to search; from a cursor on, if given. */
export async function* stretchesFor(
  db: Db,
  search: LogSearch,
  going: Direction,
  after?: LogPosition,
): AsyncGenerator<LogInterval, void> {
  const scope = isGuided(search) ? scopeOf(search) : undefined;
  const stretches = scope ? stretchesOf(db, search, scope, going) : [{ from: search.from, to: search.to }];
  for await (const stretch of stretches) {
    if (!after) yield stretch;
    else if (going === 'desc' ? stretch.from <= after.at : stretch.to + HOUR_S > after.at)
      yield { ...stretch, past: { place: after, going } };
  }
}

export const cursorOf = (place: LogPosition | undefined): string => (place ? `${place.at}-${place.id}` : '');

export function placeOf(text: string): LogPosition {
  const [at = 0, id = 0] = text.split('-').map(Number);
  return { at, id };
}
