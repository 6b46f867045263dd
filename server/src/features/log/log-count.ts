import type { Db } from '#db/tables.ts';
import { logBlocks } from './log-blocks.ts';
import { pathOf, refusalPathOf } from './log-path.ts';
import type { LogSearch } from './log-search.ts';
import { scopeOf } from './log-search.ts';
import type { TimeLimits } from './log-walk.ts';
import { countRows } from './log-walk.ts';

/** Exact up to here; a page shows "10,000+" beyond, unless the roll-ups have the number. */
const COUNTED_ROWS = 10_000;

/** Number of matching rows; a lower bound if `more` is set. Never reads them all. */
export async function countFound(
  db: Db,
  search: LogSearch,
  { countMs }: TimeLimits,
): Promise<{ total: number; more: boolean }> {
  const ofCalls = await countCalls(db, search, countMs);
  if (!search.withRefused) return ofCalls;
  const whole = { from: search.from, to: search.to };
  const most = { most: COUNTED_ROWS, deadlineMs: performance.now() + countMs };
  const refused = await countRows(db, refusalPathOf(search), whole, most);
  return { total: ofCalls.total + refused.rows, more: ofCalls.more || refused.more };
}

async function countCalls(db: Db, search: LogSearch, countMs: number): Promise<{ total: number; more: boolean }> {
  const path = pathOf(search);
  const scope = scopeOf(search);
  if (!scope || path.rest.length === 0) {
    const deadlineMs = performance.now() + countMs;
    const { rows, more } = await countRows(
      db,
      path,
      { from: search.from, to: search.to },
      { most: COUNTED_ROWS, deadlineMs },
    );
    if (!scope || !more) return { total: rows, more };
  }
  const { blocks, more } = await logBlocks(db, search, scope);
  return { total: blocks.reduce((sum, { rows }) => sum + rows, 0), more };
}
