import type { Task } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { type Cancellation, cancelTask } from '#tasks/cancel-task.ts';
import { getTask, taskInScope, type TaskReading, type TaskScope } from './task-queries.ts';

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
  const cancellation = await cancelTask(deps, await taskInScope(deps.db, scope, id));
  if (cancellation !== 'cancelled') throw new AppError(refusals[cancellation]);
  return getTask(deps.db, scope, id, reading);
}
