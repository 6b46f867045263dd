import { isFinalTask } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { TaskReport } from '#providers/task-operation.ts';
import { failTask } from '#tasks/end-task.ts';
import type { TaskOrigin } from '#tasks/origin-channel.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import type { Strain } from '#tasks/task-schedule.ts';
import { type Applied, applyReport, missed } from './apply-report.ts';
import type { VendorAnswer } from './ask-about.ts';
import type { WaitingTask } from './due-tasks.ts';

/**
 * Applies an answer to each claimed task and ends those whose time is over. Returns the unchanged ones. A
 * task that fails stops no other one.
 */
export async function advance(
  deps: Deps,
  tasks: readonly TaskRow[],
  answer: VendorAnswer,
  { origin, strain }: { origin: TaskOrigin | undefined; strain: Strain },
): Promise<WaitingTask[]> {
  const { log } = deps;
  const waiting: WaitingTask[] = [];
  for (const task of tasks) {
    let applied: Applied = 'unusable';
    try {
      if (typeof answer !== 'string' && origin) applied = await applyAnswer(deps, task, answer, { origin, strain });
    } catch (error) {
      log.warn({ err: error, task: task.task_id }, 'a report of a task could not be applied');
    }
    try {
      if (deps.now() >= task.deadline && (await expire(deps, task))) continue;
      const failed = applied === 'unusable';
      if (applied !== 'saved') waiting.push({ task, failed, odd: failed && answer === 'odd' });
    } catch (error) {
      log.warn({ err: error, task: task.task_id }, 'a task could not be ended');
    }
  }
  return waiting;
}

interface AnswerContext {
  origin: TaskOrigin;
  strain: Strain;
}

async function applyAnswer(
  deps: Deps,
  task: TaskRow,
  reports: readonly TaskReport[],
  context: AnswerContext,
): Promise<Applied> {
  if (task.upstream_id !== '') {
    const report = reports.find(({ upstreamId }) => upstreamId === task.upstream_id);
    if (report)
      return (await isForeign(deps, task, report)) ? disown(deps, task) : applyReport(deps, task, report, context);
    return missed(deps, task, context.strain, 'The upstream no longer knows this task.');
  }
  const report = reports.find(({ ownId }) => ownId === task.task_id);
  return report ? foundAgain(deps, task, report, context) : 'unchanged';
}

/** Whether the upstream has this id from another of our tasks: the answer to that one was lost, and its id repeated. */
async function isForeign({ db }: Deps, { task_id }: TaskRow, { ownId = '' }: TaskReport): Promise<boolean> {
  if (ownId === '' || ownId === task_id) return false;
  return (await db.selectFrom('tasks').where('task_id', '=', ownId).select('id').executeTakeFirst()) !== undefined;
}

/** Ends a task that has the id of another one, which may then be found under it. */
async function disown(deps: Deps, task: TaskRow): Promise<Applied> {
  deps.log.warn({ task: task.task_id, channel: task.channel_id }, 'a task has the id of another one');
  await deps.db.updateTable('tasks').set({ upstream_id: '' }).where('id', '=', task.id).execute();
  await failTask(deps, task, { status: 'FAILURE', reason: 'The upstream answered with the id of another task.' });
  return 'saved';
}

/** Binds a task whose answer was lost to the upstream's task, unless another task has that id. */
async function foundAgain(deps: Deps, task: TaskRow, report: TaskReport, context: AnswerContext): Promise<Applied> {
  const { db, log } = deps;
  const taken = await db
    .selectFrom('tasks')
    .where('channel_id', '=', task.channel_id)
    .where('upstream_id', '=', report.upstreamId)
    .select('id')
    .executeTakeFirst();
  if (taken) {
    log.warn({ task: task.task_id, channel: task.channel_id }, 'a lost task has the id of another one');
    return 'unchanged';
  }
  const deadline = Math.floor(task.submit_ms / 1000) + context.origin.operation.deadlineS;
  const bound = await db
    .updateTable('tasks')
    .set({ upstream_id: report.upstreamId, status: 'SUBMITTED', deadline })
    .where('id', '=', task.id)
    .where('status', '=', 'UNKNOWN')
    .where('upstream_id', '=', '')
    .returningAll()
    .executeTakeFirst();
  return bound ? applyReport(deps, bound, report, context) : 'saved';
}

/** Ends a task whose deadline has passed; false: it has a later one by now. */
async function expire(deps: Deps, task: TaskRow): Promise<boolean> {
  const current = await deps.db
    .selectFrom('tasks')
    .where('id', '=', task.id)
    .select(['status', 'deadline'])
    .executeTakeFirst();
  if (!current || isFinalTask(current.status)) return true;
  if (deps.now() < current.deadline) return false;
  if (current.status === 'MODAL')
    await failTask(deps, task, { status: 'CANCEL', reason: 'The task was not confirmed in time.' });
  else if (current.status === 'UNKNOWN')
    await failTask(deps, task, { status: 'FAILURE', reason: 'The answer of the upstream was lost.' });
  else {
    const keepsCharge = task.platform === 'response';
    await failTask(deps, task, { status: 'FAILURE', reason: 'The task did not finish in time.', keepsCharge });
  }
  return true;
}
