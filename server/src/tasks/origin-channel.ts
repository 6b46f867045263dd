import type { Selectable } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import type { Provider } from '#providers/provider.ts';
import { findProvider } from '#providers/registry.ts';
import { operationFor } from '#providers/target.ts';
import { liveChannel } from '#live/live-channel.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { TaskOperation } from '#providers/task-operation.ts';
import { aboutOf } from '#relay/upstream/address.ts';
import type { TaskRow } from './task-rows.ts';

/** Where a task was submitted, with the key it was submitted with. */
export interface TaskOrigin {
  channel: LiveChannel;
  key: LiveKey;
  operation: TaskOperation;
  /** No new work is sent there. */
  isDeleted: boolean;
}

export type OriginOf = Pick<
  TaskRow,
  'channel_id' | 'channel_type' | 'key_id' | 'key_cipher' | 'base_url' | 'platform' | 'upstream_model'
>;

/**
 * The channel of a task, although it may be changed, disabled or deleted by now: a task goes on with the provider, the
 * key and the address that it was submitted with. Undefined: it cannot be reached any more.
 */
export async function originOf(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  task: OriginOf,
): Promise<TaskOrigin | undefined> {
  if (task.key_cipher === '') return undefined;
  const row = await db.selectFrom('channels').where('id', '=', task.channel_id).selectAll().executeTakeFirst();
  if (!row) return undefined;
  const sealed = [{ id: task.key_id, key_cipher: task.key_cipher }];
  const channel = liveChannel(asSubmitted(row, task), sealed, secrets);
  if (channel === false || typeof channel === 'string') return undefined;
  const [key] = channel.keys;
  const tasks = tasksOf(channel.provider, task);
  const about = aboutOf(channel, task.upstream_model);
  // The same rule as at submission.
  const operation = (tasks?.also || tasks?.serves ? operationFor(tasks, about) : tasks) as TaskOperation | undefined;
  if (!key || !operation?.platforms.includes(task.platform)) return undefined;
  return { channel, key, operation, isDeleted: row.deleted_time !== null };
}

/** Start of the model's name in fine-tuning jobs, which are tasks of the platform `batch`. */
export const FINE_TUNING = 'fine_tuning/';

function tasksOf(
  { tasks, batches, fineTuning, background }: Provider,
  { platform, upstream_model }: OriginOf,
): TaskOperation | undefined {
  if (platform === 'batch') return upstream_model.startsWith(FINE_TUNING) ? fineTuning : batches;
  return platform === 'response' ? background : tasks;
}

/** Values that were entered for another address or provider may be secrets of it. */
function asSubmitted(row: Selectable<Tables['channels']>, task: OriginOf): Selectable<Tables['channels']> {
  // 0: not recorded.
  const type = task.channel_type || row.type;
  const { base_url } = task;
  const isOther = row.type !== type;
  const isMoved = isOther || (row.base_url || findProvider(row.type)?.baseUrl) !== base_url;
  return {
    ...row,
    type,
    base_url,
    ...(isMoved && { model_headers: '' }),
    ...(isOther && { other: '', plugin: '' }),
  };
}
