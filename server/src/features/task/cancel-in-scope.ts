import type { Task } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { type Cancellation, cancelTask } from '#tasks/cancel-task.ts';
import { getTask, type TaskReading, type TaskScope } from './task-queries.ts';

const refusals = {
  ended: 'task.ended',
  running: 'task.cancel_refused',
  unsupported: 'task.not_cancellable',
} as const satisfies Record<Exclude<Cancellation, 'cancelled'>, string>;

/**
 * Cancels a task of the scope at its vendor. Returns its new state. Throws `record.not_found`, and the code in
 * `refusals` if it was not cancelled.
 */
export async function cancelInScope(deps: Deps, scope: TaskScope, id: number, reading: TaskReading): Promise<Task> {
  let query = deps.db.selectFrom('tasks').where('id', '=', id);
  if (scope !== 'all') query = query.where('user_id', '=', scope.userId);
  const task = await query.selectAll().executeTakeFirst();
  ensure(task, 'record.not_found');
  const cancellation = await cancelTask(deps, task);
  if (cancellation !== 'cancelled') throw new AppError(refusals[cancellation]);
  return getTask(deps.db, scope, id, reading);
}
