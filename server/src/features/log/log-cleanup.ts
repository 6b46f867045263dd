import type { LogCleanup } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { countFound } from './log-count.ts';
import type { LogSearch } from './log-search.ts';
import { callsSince } from './log-search.ts';
import { quick } from './log-walk.ts';

/** The calls that a clean-up deletes. Not built from filters, in which an end of 0 means "no end". */
export const callsBefore = (target: number): LogSearch => ({ ...callsSince(0), to: target - 1 });

/**
 * Orders the deletion of calls before a time, one order at a time; `Cleaner` executes it. Returns their number. Throws
 * `log.cleanup_running` or `log.cleanup_future`.
 */
export async function orderCleanup({ db, now, nodeId }: Deps, target: number, actorId: number): Promise<number> {
  ensure(target <= now(), 'log.cleanup_future', { field: 'target_timestamp' });
  const { total } = await countFound(db, callsBefore(target), quick);
  const order = {
    target_timestamp: target,
    state: 'running' as const,
    total,
    deleted: 0,
    actor_id: actorId,
    node: nodeId,
    started_time: now(),
    seen_time: now(),
    ended_time: 0,
    archived: 0,
    error: '',
  };
  const placed = await db
    .insertInto('log_cleanup')
    .values({ ...order, id: 1, cleaned_before: 0 })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(order).where('log_cleanup.state', '<>', 'running'))
    .returning('id')
    .executeTakeFirst();
  if (!placed) throw new AppError('log.cleanup_running');
  return total;
}

/** Progress of the clean-up, or the result of the last one. */
export async function cleanupProgress(db: Db): Promise<LogCleanup> {
  const cleanup = await db
    .selectFrom('log_cleanup')
    .where('id', '=', 1)
    .select(['state', 'target_timestamp', 'total', 'deleted', 'started_time', 'ended_time', 'archived', 'error'])
    .executeTakeFirst();
  const none = { target_timestamp: 0, total: 0, deleted: 0, started_time: 0, ended_time: 0, archived: 0, error: '' };
  return cleanup ?? { ...none, state: 'none' };
}

/** Stops the clean-up before its next batch, on whichever node it runs. */
export async function cancelCleanup({ db, now }: Deps): Promise<LogCleanup> {
  await db
    .updateTable('log_cleanup')
    .set({ state: 'cancelled', ended_time: now() })
    .where('id', '=', 1)
    .where('state', '=', 'running')
    .execute();
  return cleanupProgress(db);
}
