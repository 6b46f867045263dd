import { isFinalTask } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { ProviderCall } from '#providers/operation.ts';
import type { PolledTask, TaskAnswer, TaskOperation } from '#providers/task-operation.ts';
import { askVendor, polledTask, vendorCall } from './ask-vendor.ts';
import { failTask } from './end-task.ts';
import { originOf, type TaskOrigin } from './origin-channel.ts';
import { pollSoon } from './poll/poll-tasks.ts';
import type { TaskRow } from './task-rows.ts';

/**
 * `cancelled`: the vendor has confirmed, and the charge is returned. `ended`: it had ended before. `running`: the vendor
 * refused or did not answer. `unsupported`: the vendor cannot stop it, or does not have it.
 */
export type Cancellation = 'cancelled' | 'ended' | 'running' | 'unsupported';

const TIMEOUT_MS = 30_000;
const LARGEST_REPLY = 1024 * 1024;

/** Whether `cancelTask` may succeed. */
export const isCancellable = ({
  status,
  upstream_id,
  cancellable,
}: Pick<TaskRow, 'status' | 'upstream_id' | 'cancellable'>): boolean =>
  cancellable && upstream_id !== '' && status !== 'MODAL' && !isFinalTask(status);

/** Asks the vendor to stop a task, and ends it with a refund once the vendor confirms. Never rejects for the vendor. */
export async function cancelTask(deps: Deps, task: TaskRow, origins = originOf): Promise<Cancellation> {
  if (isFinalTask(task.status)) return 'ended';
  if (!isCancellable(task)) return 'unsupported';
  const origin = await origins(deps, task);
  const cancel = origin?.operation.cancel;
  if (!origin || !cancel) return 'unsupported';
  const polled = polledTask(task);
  const access = { ...origin, model: task.upstream_model };
  let answer: TaskAnswer;
  try {
    const call = await vendorCall(deps, access);
    const limits = { timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_REPLY };
    if (cancel.deletesEnded && !(await waits(deps, origin, polled, call))) {
      await pollSoon(deps, task.task_id);
      return 'running';
    }
    answer = await askVendor(deps, access, call, cancel.request(polled, call), limits);
  } catch (error) {
    deps.log.info({ err: error, task: task.task_id }, 'a cancellation was not answered');
    // The vendor may have stopped it all the same.
    await pollSoon(deps, task.task_id);
    return 'running';
  }
  if (!isConfirmed(deps, cancel, answer)) {
    deps.log.info({ task: task.task_id, status: answer.status }, 'a cancellation was refused');
    await pollSoon(deps, task.task_id);
    return 'running';
  }
  const ended = await failTask(deps, task, { status: 'CANCEL', reason: 'The task was cancelled.' });
  return ended ? 'cancelled' : 'ended';
}

/** Whether the vendor has not begun. Where a cancellation deletes ended tasks, only such a one may be sent. */
async function waits(deps: Deps, origin: TaskOrigin, task: PolledTask, call: ProviderCall): Promise<boolean> {
  const { operation } = origin;
  const limits = { timeoutMs: TIMEOUT_MS, maxBytes: LARGEST_REPLY };
  const access = { ...origin, model: task.model };
  const answer = await askVendor(deps, access, call, operation.poll([task], call), limits);
  const report = operation.reports(answer, [task])?.find(({ upstreamId }) => upstreamId === task.upstreamId);
  return report?.status === 'QUEUED' || report?.status === 'SUBMITTED';
}

type Cancel = NonNullable<TaskOperation['cancel']>;

/** An answer that the adapter cannot read confirms nothing. */
function isConfirmed({ log }: Deps, cancel: Cancel, answer: TaskAnswer): boolean {
  try {
    return cancel.isCancelled(answer);
  } catch (error) {
    log.warn({ err: error }, 'the answer to a cancellation could not be read');
    return false;
  }
}
