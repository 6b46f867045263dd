import { randomInt, randomUUID } from 'node:crypto';
import { finalTaskStatuses, type TaskPlatform } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { taskNotFound } from './task-refusal.ts';

export type TaskRow = Selectable<Tables['tasks']>;

/** Statuses that the guard of every change leaves alone. */
export const finalStatuses: readonly TaskRow['status'][] = finalTaskStatuses;

/** A text of a caller or vendor for a column: PostgreSQL refuses NUL, and would refuse the charge with it. */
export const plainText = (text: string, longest = 20_000): string => text.slice(0, longest).replaceAll('\0', '');

/** Clients of the image dialect expect digits; the others take any text. */
export const newTaskId = (platform: TaskPlatform): string =>
  platform === 'midjourney'
    ? `${Date.now()}${String(randomInt(1_000_000)).padStart(6, '0')}`
    : platform === 'batch'
      ? `batch_${randomUUID().replaceAll('-', '')}`
      : randomUUID();

/** PostgreSQL refuses a query with NUL. */
export const isStorable = (text: string): boolean => !text.includes('\0');

/** A task of this user; undefined: they have none with this id. */
export async function findOwnTask(
  db: Db,
  userId: number,
  platform: TaskPlatform,
  taskId: string,
): Promise<TaskRow | undefined> {
  if (!isStorable(taskId)) return undefined;
  return db
    .selectFrom('tasks')
    .where('task_id', '=', taskId)
    .where('user_id', '=', userId)
    .where('platform', '=', platform)
    .where('hidden_at', '=', 0)
    .selectAll()
    .executeTakeFirst();
}

/** A task that exists. */
export const getTask = (db: Db, taskId: string): Promise<TaskRow> =>
  db
    .selectFrom('tasks')
    .where('task_id', '=', taskId)
    .selectAll()
    .executeTakeFirstOrThrow(() => taskNotFound());

const MOST_IDS = 100;

/** Those of the ids that are tasks of this user; the first hundred ids count. */
export async function findOwnTasks(
  db: Db,
  userId: number,
  platform: TaskPlatform,
  taskIds: readonly string[],
): Promise<TaskRow[]> {
  const ids = [...new Set(taskIds)].filter(isStorable).slice(0, MOST_IDS);
  if (ids.length === 0) return [];
  return db
    .selectFrom('tasks')
    .where('task_id', 'in', ids)
    .where('user_id', '=', userId)
    .where('platform', '=', platform)
    .where('hidden_at', '=', 0)
    .selectAll()
    .orderBy('id')
    .execute();
}
