import type { Db } from '#db/tables.ts';
import type { Direction, LogPosition, LogInterval } from './log-path.ts';
import { pathOf, refusalPathOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { type LogWalk, walk, type WalkResult } from './log-walk.ts';

/** Page numbers reach this many rows deep when refused calls are merged in. */
export const MERGED_ROWS = 10_000;

/**
 * Walks matching rows, merging refused calls where requested. Their ids are above all others, so one order fits both
 * tables.
 */
export async function walkAll(
  db: Db,
  search: LogSearch,
  stretches: AsyncIterable<LogInterval> | Iterable<LogInterval>,
  { skip, take, after, ...how }: LogWalk & { after?: LogPosition | undefined },
): Promise<WalkResult> {
  if (!search.withRefused) return walk(db, pathOf(search), stretches, { skip, take, ...how });
  const { going } = how;
  const most = { ...how, skip: 0, take: skip + take };
  const whole: LogInterval = { from: search.from, to: search.to, past: after && { place: after, going } };
  const [calls, refused] = await Promise.all([
    walk(db, pathOf(search), stretches, most),
    walk(db, refusalPathOf(search), [whole], most),
  ]);
  const order = orderOf(going);
  // If one walk stopped early, rows of the other beyond that position belong to the next page.
  const [stopped] = [calls.stopped, refused.stopped].filter((place) => place !== undefined).toSorted(order);
  const places = [...calls.places, ...refused.places]
    .filter((place) => !stopped || order(place, stopped) <= 0)
    .toSorted(order);
  const full = places.length >= skip + take;
  return {
    places: places.slice(skip, skip + take),
    stopped: full ? undefined : stopped,
    left: Math.max(0, skip - places.length),
  };
}

const orderOf =
  (going: Direction) =>
  (a: LogPosition, b: LogPosition): number =>
    (a.at - b.at || a.id - b.id) * (going === 'asc' ? 1 : -1);
