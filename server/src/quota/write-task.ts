import type { RunStatement } from '#db/transaction-script.ts';
import type { SettleItem } from './batch-items.ts';
import type { SubmittedTask } from './submitted-task.ts';

const columns = [
  'task_id',
  'platform',
  'action',
  'model',
  'mode',
  'code',
  'status',
  'progress',
  'created_at',
  'updated_at',
  'submit_ms',
  'finish_ms',
  'fail_reason',
  'prompt',
  'description',
  'state',
  'properties',
  'quota',
  'token_quota',
  'request_id',
  'user_id',
  'token_id',
  'channel_id',
  'channel_type',
  'key_id',
  'base_url',
  'upstream_id',
  'upstream_model',
  'vendor',
  'media',
  'request',
  'request_key',
  'parent_task_id',
  'notify_hook',
  'next_poll_at',
  'deadline',
  'cancellable',
];
const places = columns.map((_, i) => `$${i + 1}`).join(', ');
const keyPlace = columns.indexOf('key_id') + 1;
const insert =
  `insert into tasks (${columns.join(', ')}, key_cipher) values (${places}, ` +
  `coalesce((select key_cipher from channel_keys where id = $${keyPlace}), '')) on conflict do nothing returning id`;

const confirm =
  "update tasks set status = $2, code = $3, prompt = case when $4 = '' then prompt else $4 end, quota = $5, " +
  'token_quota = $6, request_id = $7, model = $8, next_poll_at = $9, deadline = $10, updated_at = $11, progress = 0, ' +
  "polls = 0, missed = 0 where task_id = $1 and status = 'MODAL' and quota = 0 returning id";

/** Charge of a call, and the part of it that the token's own quota covered. */
export interface ChargedTask {
  charged: number;
  fromToken: number;
}

/**
 * Writes the task of a settlement. A task that cannot be told apart, because its upstream id is another task's, is
 * written without that id and is due at once: it fails and is refunded.
 */
export async function writeTask(
  query: RunStatement,
  item: SettleItem,
  task: SubmittedTask,
  charge: ChargedTask,
): Promise<void> {
  if (!task.confirms) {
    if ((await query(insert, valuesOf(item, task, charge))).length > 0) return;
  } else {
    const { taskId, status, code, prompt, nextPollAt, deadline } = task;
    const { requestId, log, now } = item;
    const values = [taskId, status, code, prompt, charge.charged, charge.fromToken, requestId, log.model];
    if ((await query(confirm, [...values, nextPollAt, deadline, now])).length > 0) return;
  }
  const { now, requestId } = item;
  const separate: SubmittedTask = {
    ...task,
    taskId: task.confirms ? `${task.taskId}-${requestId}` : task.taskId,
    upstreamId: '',
    status: 'UNKNOWN',
    nextPollAt: now,
    deadline: now,
  };
  await query(insert, valuesOf(item, separate, charge));
}

const valuesOf = (
  { requestId, userId, tokenId, channelId, now, log }: SettleItem,
  task: SubmittedTask,
  { charged, fromToken }: ChargedTask,
): unknown[] => [
  task.taskId,
  task.platform,
  task.action,
  log.model,
  task.mode,
  task.code,
  task.status,
  task.progress,
  now,
  now,
  task.submitMs,
  task.status === 'SUCCESS' ? task.submitMs : 0,
  '',
  task.prompt,
  task.description,
  task.state,
  task.properties,
  charged,
  fromToken,
  requestId,
  userId,
  tokenId,
  channelId,
  task.channelType,
  task.keyId,
  task.baseUrl,
  task.upstreamId,
  task.upstreamModel,
  task.vendor,
  task.media,
  task.request,
  task.requestKey,
  task.parentTaskId,
  task.notifyHook,
  task.nextPollAt,
  task.deadline,
  task.cancellable,
];
