import type { TaskStatus } from '@relay-hub/contract';
import type { Updateable } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { hostIn, withoutPlaces } from '#private-places.ts';
import type { TaskReport } from '#providers/task-operation.ts';
import { objectOr } from '#json.ts';
import { masked } from '#secrets.ts';
import { settleBatch, settleResponse } from '#tasks/batches/settle-batch.ts';
import { failTask, tellTaskEnd } from '#tasks/end-task.ts';
import { mediaKeeper } from '#tasks/media/media-hook.ts';
import { unstored } from '#tasks/media/task-files.ts';
import type { TaskOrigin } from '#tasks/origin-channel.ts';
import { finalStatuses, plainText, type TaskRow } from '#tasks/task-rows.ts';
import { MOST_MISSES, nextPollAt, type Strain } from '#tasks/task-schedule.ts';
import { updateLeased } from './due-tasks.ts';

type Changes = Updateable<Tables['tasks']>;

/** `saved`: the task ended or has its next poll. `unchanged`, `unusable`: the caller plans the next poll. */
export type Applied = 'saved' | 'unchanged' | 'unusable';

/** Order of the statuses of a running task: a report of an earlier one is ignored. */
const ranks: Partial<Record<TaskStatus, number>> = { SUBMITTED: 1, QUEUED: 1, IN_PROGRESS: 2 };

/** Platforms whose charge depends on the result. */
const settlements: Partial<Record<TaskRow['platform'], typeof settleBatch>> = {
  batch: settleBatch,
  response: settleResponse,
};

const LARGEST_JSON = 1_000_000;

/** Applies a report of the upstream to a leased task: progress, result, or failure with a refund. */
export async function applyReport(
  deps: Deps,
  task: TaskRow,
  report: TaskReport,
  { origin, strain }: { origin: TaskOrigin; strain: Strain },
): Promise<Applied> {
  const { log, now: clock } = deps;
  const now = clock();
  if (report.unknownWord !== undefined)
    log.warn({ task: task.task_id, status: report.unknownWord.slice(0, 50) }, 'unknown status of a task');
  const { status } = report;
  const settles = settlements[task.platform];
  if (settles && (status === 'SUCCESS' || status === 'CANCEL')) {
    await settles(deps, task, { status, data: objectOr(report.data) }, origin);
    return 'saved';
  }
  if (report.status === 'FAILURE' || report.status === 'CANCEL') {
    const reason = textFor(origin, report.failReason ?? '') || 'The upstream gave no reason.';
    await failTask(deps, task, { status: report.status, reason, finishMs: timeOr(report.finishMs, now) });
    return 'saved';
  }
  if (report.status === 'SUCCESS') {
    if (report.hasResult) return succeed(deps, task, report, origin);
    return missed(deps, task, strain, 'The upstream finished without a result.');
  }
  const isEarlier = (ranks[report.status] ?? 0) < (ranks[task.status] ?? 0);
  const changes = differing(task, {
    ...valuesOf(report, origin),
    // Previews are shown at the vendor's addresses; results are kept with the success.
    ...(report.media && { media: JSON.stringify(report.media.filter(({ url }) => url !== '').map(unstored)) }),
    ...(report.startMs !== undefined && { start_ms: timeOr(report.startMs, now) }),
    // The caller decides when a task waits for confirmation and when it goes on.
    ...(report.status !== 'MODAL' && task.status !== 'MODAL' && !isEarlier && { status: report.status }),
    progress: Math.min(99, Math.max(task.progress, percentOf(report.progress))),
    missed: 0,
    unanswered: 0,
    odd: 0,
  });
  if (Object.keys(changes).length === 0) return 'unchanged';
  const next_poll_at = nextPollAt(task, now, { ...strain, backOff: 0 });
  await updateLeased(deps, [task], { ...changes, next_poll_at, updated_at: now });
  return 'saved';
}

/** Ends a task with its result. The lease may have ended: a result is true all the same. */
async function succeed(deps: Deps, task: TaskRow, report: TaskReport, origin: TaskOrigin): Promise<Applied> {
  const { db, log, now: clock } = deps;
  const now = clock();
  let media: string | undefined;
  try {
    if (report.media) media = JSON.stringify(await mediaKeeper(deps)(task, report.media, origin));
  } catch (error) {
    log.warn({ err: error, task: task.task_id }, 'the result of a task could not be kept');
    return 'unusable';
  }
  await db.transaction().execute(async (trx) => {
    const ended = await trx
      .updateTable('tasks')
      .set({
        ...valuesOf(report, origin),
        ...(report.startMs !== undefined && { start_ms: timeOr(report.startMs, now) }),
        ...(media !== undefined && { media }),
        status: 'SUCCESS',
        progress: 100,
        fail_reason: '',
        finish_ms: timeOr(report.finishMs, now),
        next_poll_at: 0,
        updated_at: now,
      })
      .where('id', '=', task.id)
      .where('status', 'not in', finalStatuses)
      .returning(['task_id', 'user_id', 'quota'])
      .executeTakeFirst();
    if (ended) await tellTaskEnd(trx, { ...ended, status: 'SUCCESS', credits: ended.quota, now });
  });
  return 'saved';
}

/** The upstream answered without this task or its result. After several such answers the task is given up. */
export async function missed(deps: Deps, task: TaskRow, strain: Strain, reason: string): Promise<Applied> {
  const now = deps.now();
  const count = task.missed + 1;
  const keepsCharge = task.platform === 'response';
  if (count >= MOST_MISSES) await failTask(deps, task, { status: 'FAILURE', reason, keepsCharge });
  else {
    const next_poll_at = nextPollAt(task, now, { ...strain, backOff: count });
    await updateLeased(deps, [task], { missed: count, unanswered: 0, odd: 0, next_poll_at });
  }
  return 'saved';
}

/** Texts and results. Empty values do not replace earlier ones. */
function valuesOf(report: TaskReport, origin: TaskOrigin): Changes {
  const { promptEn, prompt, description, imageUrl, buttons, properties, data } = report;
  return {
    ...(promptEn && { prompt_en: plainText(promptEn) }),
    ...(prompt && { prompt: plainText(prompt) }),
    ...(description && { description: textFor(origin, description) }),
    ...(imageUrl && { image_url: plainText(imageUrl) }),
    ...(buttons && buttons.length > 0 && column('buttons', buttons)),
    ...(properties && Object.keys(properties).length > 0 && column('properties', properties)),
    ...(data !== undefined && column('data', data)),
  };
}

/** A JSON column, unless the value is too large for a row. */
function column(name: 'buttons' | 'properties' | 'data', value: unknown): Changes {
  const json = JSON.stringify(value);
  return json.length <= LARGEST_JSON ? { [name]: json } : {};
}

/** The changes that the row does not have already; JSON columns are compared as text. */
function differing(task: TaskRow, changes: Changes): Changes {
  const row: Record<string, unknown> = task;
  const isNew = ([name, value]: [string, unknown]): boolean => {
    const now = row[name];
    return (typeof now === 'object' ? JSON.stringify(now) : now) !== value;
  };
  return Object.fromEntries(Object.entries(changes).filter(isNew));
}

const percentOf = (value: number | undefined): number =>
  value !== undefined && Number.isFinite(value) ? Math.trunc(value) : 0;

const DAY_MS = 86_400_000;

/** A time of the vendor in milliseconds, if it is one that is near. */
function timeOr(ms: number | undefined, now: number): number {
  const nowMs = now * 1000;
  return ms !== undefined && Number.isSafeInteger(ms) && Math.abs(ms - nowMs) < 30 * DAY_MS ? ms : nowMs;
}

/** A text of the upstream for its caller: without keys and addresses of the operator. */
function textFor({ channel, key }: TaskOrigin, text: string): string {
  const hosts = [channel.baseUrl, channel.proxy, key.proxy].map(hostIn).filter((host) => host !== undefined);
  return plainText(withoutPlaces(masked(text, key.key, ...Object.values(key.headers)), hosts));
}
