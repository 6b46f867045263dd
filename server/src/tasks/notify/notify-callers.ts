import { randomUUID } from 'node:crypto';
import { isFinalTask } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { fetchGuarded } from '#http/outbound/outbound.ts';
import { callerReach } from '#http/outbound/reach.ts';
import { taskObjectOf } from '#tasks/task-objects.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { webhookHeaders } from './webhook-secret.ts';

type NotifyDeps = Pick<Deps, 'config' | 'db' | 'live' | 'log' | 'now'>;

const PER_ROUND = 500;

/**
 * Plans a notification for each task whose state has changed since the last one: for image tasks each status and
 * progress, for others the end. Of several nodes only one plans a state. Returns the number of planned notifications.
 */
export async function planNotifications({ db, live, now: clock }: NotifyDeps): Promise<number> {
  const changed = await db
    .selectFrom('tasks')
    // Literally the condition of the index `tasks_unnotified`.
    .where(sql<boolean>`notify_hook <> '' and (notified_status <> status or notified_progress <> progress)`)
    .select(['id', 'platform', 'status', 'progress', 'notified_status', 'notified_progress'])
    .orderBy('id')
    .limit(PER_ROUND)
    .execute();
  let count = 0;
  for (const task of changed) {
    const now = clock();
    const isFinal = isFinalTask(task.status);
    const isTold = live.settings.TaskNotifyEnabled && (isFinal || task.platform === 'midjourney');
    const planned = await db.transaction().execute(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('tasks')
        .set({ notified_status: task.status, notified_progress: task.progress })
        .where('id', '=', task.id)
        .where('notified_status', '=', task.notified_status) // the guard: of racing nodes one plans it
        .where('notified_progress', '=', task.notified_progress)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n || !isTold) return false;
      // A newer state makes those that were not delivered worthless.
      await trx.deleteFrom('task_notifications').where('task', '=', task.id).where('next_at', '>', 0).execute();
      await trx
        .insertInto('task_notifications')
        .values({ task: task.id, message_id: `msg_${randomUUID()}`, is_final: isFinal, created_at: now, next_at: now })
        .execute();
      return true;
    });
    if (planned) count++;
  }
  return count;
}

/** Pauses after failed attempts; then the notification is given up. */
const PAUSES_S = [10, 60, 300, 1800, 7200];
const TIMEOUT_MS = 10_000;
/** Longer than an attempt. */
const LEASE_S = 60;
const DUE_PER_ROUND = 200;
const HOSTS_AT_ONCE = 16;
/** A host that is slower gets the rest of its notifications in a later round. */
const SLOW_MS = 3_000;
const LARGEST_BODY = 1024 * 1024;

interface Due {
  id: number;
  task: number;
  message_id: string;
  created_at: number;
  next_at: number;
  attempts: number;
  notify_hook: string;
}

/**
 * Sends the notifications that are due, one after the other to each host, and to several hosts at a time. Every node
 * takes part; each notification is claimed by one. Returns the number of attempts.
 */
export async function sendNotifications(deps: NotifyDeps, signal?: AbortSignal): Promise<number> {
  const due: Due[] = await deps.db
    .selectFrom('task_notifications as n')
    .innerJoin('tasks as t', 't.id', 'n.task')
    .where('n.next_at', '>', 0)
    .where('n.next_at', '<=', deps.now())
    .select(['n.id', 'n.task', 'n.message_id', 'n.created_at', 'n.next_at', 'n.attempts', 't.notify_hook'])
    .orderBy('n.next_at')
    .limit(DUE_PER_ROUND)
    .execute();
  const hosts = [...Map.groupBy(due, ({ notify_hook }) => URL.parse(notify_hook)?.host ?? '').values()];
  let count = 0;
  const work = async (): Promise<void> => {
    for (let rows = hosts.pop(); rows; rows = hosts.pop()) count += await sendInTurn(deps, rows, signal);
  };
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, work));
  return count;
}

async function sendInTurn(deps: NotifyDeps, rows: readonly Due[], signal?: AbortSignal): Promise<number> {
  let count = 0;
  for (const row of rows) {
    if (signal?.aborted || !(await claim(deps, row))) continue;
    count++;
    const startMs = performance.now();
    try {
      await deliver(deps, { ...row, attempts: row.attempts + 1 }, signal);
    } catch (error) {
      // One notification that fails must not stop the others; its lease ends.
      deps.log.warn({ err: error, notification: row.id }, 'a notification could not be sent');
    }
    if (performance.now() - startMs > SLOW_MS) break;
  }
  return count;
}

async function claim({ db, now }: NotifyDeps, { id, next_at, attempts }: Due): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('task_notifications')
    .set({ next_at: now() + LEASE_S, attempts: attempts + 1 })
    .where('id', '=', id)
    .where('next_at', '=', next_at)
    .where('attempts', '=', attempts)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

async function deliver(deps: NotifyDeps, { id, task: taskId, message_id, attempts }: Due, signal?: AbortSignal) {
  const { db, live, now } = deps;
  const task = await db.selectFrom('tasks').where('id', '=', taskId).selectAll().executeTakeFirst();
  const failure = !task || !live.settings.TaskNotifyEnabled ? 'off' : await post(deps, task, message_id, signal);
  if (signal?.aborted && failure !== '') return;
  const pause = failure === 'off' || failure === 'gone' ? undefined : PAUSES_S[attempts - 1];
  await db
    .updateTable('task_notifications')
    .set({
      failure,
      delivered_at: failure === '' ? now() : 0,
      next_at: failure === '' || pause === undefined ? 0 : now() + pause,
    })
    .where('id', '=', id)
    .execute();
}

/** Empty: delivered; `gone`: the receiver wants no more; otherwise why it failed. */
async function post(deps: NotifyDeps, task: TaskRow, id: string, signal?: AbortSignal): Promise<string> {
  const { config, live, now } = deps;
  const body = JSON.stringify(taskObjectOf({ deps }, task));
  if (Buffer.byteLength(body) > LARGEST_BODY) return 'gone';
  const timestamp = now();
  try {
    const { status } = await fetchGuarded(task.notify_hook, {
      reach: callerReach({ config, live }),
      // The answer is ignored.
      maxBytes: 64 * 1024,
      timeoutMs: TIMEOUT_MS,
      accept: '*/*',
      signal,
      request: {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...webhookHeaders(config.secretKey, task.user_id, { id, timestamp, body }),
        },
        body,
      },
    });
    if (status >= 200 && status < 300) return '';
    return status === 410 ? 'gone' : `status ${status}`;
  } catch (error) {
    return error instanceof AppError ? error.code : 'failed';
  }
}

const KEPT_S = 7 * 86_400;

/** Deletes notifications that were delivered or given up a week ago. */
export async function forgetNotifications({ db, now }: NotifyDeps): Promise<void> {
  await db
    .deleteFrom('task_notifications')
    .where('created_at', '<', now() - KEPT_S)
    .where('next_at', '=', 0)
    .execute();
}
