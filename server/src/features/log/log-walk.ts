import type { Db } from '#db/tables.ts';
import type { Direction, LogPath, LogPosition, LogInterval } from './log-path.ts';
import { rowsOf } from './log-path.ts';

/** Rows read between two checks of the clock: a page first, then as many as take one or two milliseconds. */
const FIRST_STEP = 400;
const LARGEST_STEP = 5000;

const LAST_ID = Number.MAX_SAFE_INTEGER;

export interface LogWalk {
  going: Direction;
  skip: number;
  take: number;
  /** By `performance.now()`. */
  deadlineMs: number;
}

/** The found positions in order, and where the walk stopped when its time was up. */
export interface WalkResult {
  places: LogPosition[];
  stopped: LogPosition | undefined;
  /** Number of rows still to be skipped then. */
  left: number;
}

/** Time limits for finding a list's rows and for counting them. */
export interface TimeLimits {
  pageMs: number;
  countMs: number;
}
export const quick: TimeLimits = { pageMs: 25, countMs: 15 };

/**
 * Finds rows along the timeline. Index conditions are followed at once, however deep; where rows must be read, it reads
 * in steps until there are enough or the time is up.
 */
export async function walk(
  db: Db,
  path: LogPath,
  stretches: AsyncIterable<LogInterval> | Iterable<LogInterval>,
  { going, skip, take, deadlineMs }: LogWalk,
): Promise<WalkResult> {
  const places: LogPosition[] = [];
  let toSkip = skip;
  let step = Math.max(FIRST_STEP, 2 * take);
  let reached: LogPosition | undefined;
  for await (const stretch of stretches) {
    let { past } = stretch;
    for (let ended = false; !ended;) {
      if (reached && performance.now() > deadlineMs) return { places, stopped: reached, left: toSkip };
      const end =
        path.rest.length === 0 ? undefined : await placeAfter(db, path, { ...stretch, past }, { going, rows: step });
      const piece = { ...stretch, past, until: end && { place: end, going } };
      const found = await readPlaces(db, path, piece, { going, skip: toSkip, take: take - places.length });
      toSkip -= found.skipped;
      places.push(...found.places);
      if (places.length >= take) return { places, stopped: undefined, left: 0 };
      ended = end === undefined;
      reached = end ?? edgeOf(stretch, going);
      past = { place: reached, going };
      step = Math.min(step * 3, LARGEST_STEP);
    }
  }
  return { places, stopped: undefined, left: toSkip };
}

/** Number of rows, counted until the time is up or `most` is reached. */
export async function countRows(
  db: Db,
  path: LogPath,
  stretch: LogInterval,
  { most, deadlineMs }: { most: number; deadlineMs: number },
): Promise<{ rows: number; more: boolean }> {
  if (path.rest.length === 0) {
    const rows = await countOf(db, path, stretch, most + 1);
    return { rows: Math.min(rows, most), more: rows > most };
  }
  let rows = 0;
  let { past } = stretch;
  for (;;) {
    const end = await placeAfter(db, path, { ...stretch, past }, { going: 'desc', rows: LARGEST_STEP });
    const piece: LogInterval = { ...stretch, past, until: end && { place: end, going: 'desc' } };
    rows += await countOf(db, path, piece, LARGEST_STEP);
    if (!end) return { rows, more: false };
    if (rows >= most || performance.now() > deadlineMs) return { rows, more: true };
    past = { place: end, going: 'desc' };
  }
}

/** The position `n` rows further on by the index alone; undefined if there are fewer. */
export async function placeAfter(
  db: Db,
  path: LogPath,
  stretch: LogInterval,
  { going, rows }: { going: Direction; rows: number },
): Promise<LogPosition | undefined> {
  return rowsOf(db, path, stretch, 'index')
    .select(['created_at as at', 'id'])
    .orderBy('created_at', going)
    .orderBy('id', going)
    .limit(1)
    .offset(rows - 1)
    .executeTakeFirst();
}

async function readPlaces(
  db: Db,
  path: LogPath,
  stretch: LogInterval,
  { going, skip, take }: { going: Direction; skip: number; take: number },
): Promise<{ places: LogPosition[]; skipped: number }> {
  if (path.rest.length > 0 && skip > 0) {
    const skipped = await countOf(db, path, stretch, skip);
    if (skipped < skip) return { places: [], skipped };
  }
  const places = await rowsOf(db, path, stretch)
    .select(['created_at as at', 'id'])
    .orderBy('created_at', going)
    .orderBy('id', going)
    .limit(take)
    .offset(skip)
    .execute();
  return { places, skipped: skip };
}

async function countOf(db: Db, path: LogPath, stretch: LogInterval, most: number): Promise<number> {
  const { count } = await db
    .selectFrom(rowsOf(db, path, stretch).select('id').limit(most).as('row'))
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return count;
}

/** A position beyond an interval's last row. */
function edgeOf({ from, to }: LogInterval, going: Direction): LogPosition {
  return going === 'desc' ? { at: from, id: 0 } : { at: to, id: LAST_ID };
}
