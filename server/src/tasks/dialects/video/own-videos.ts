import { isFinalTask } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { CallRequest, HttpContext } from '#relay/types/call-types.ts';
import { authenticate } from '#relay/admission/authenticate.ts';
import { cancelTask } from '#tasks/cancel-task.ts';
import { taskNotFound, TaskRefusal } from '#tasks/task-refusal.ts';
import { findOwnTask, type TaskRow } from '#tasks/task-rows.ts';

/** A video task, whatever dialect it was ordered in. Throws a 404 for one that the user does not have. */
export async function videoOf(db: Db, userId: number, taskId: string): Promise<TaskRow> {
  const task = (await findOwnTask(db, userId, 'video', taskId)) ?? (await findOwnTask(db, userId, 'kling', taskId));
  if (!task) throw taskNotFound();
  return task;
}

/** The same for the caller of a request. */
export async function callersVideo(
  context: HttpContext,
  taskId: string,
  dialect?: CallRequest['dialect'],
): Promise<TaskRow> {
  const { deps } = context;
  const { caller } = await authenticate(context, dialect);
  await deps.book.caughtUp();
  return videoOf(deps.db, caller.userId, taskId);
}

export interface VideoPage {
  /** Id of the last task of the previous page; empty: the first page. */
  after: string;
  limit: number;
  order: 'asc' | 'desc';
}

/** A page of a user's video tasks, by submission. Throws a 404 for an unknown `after`. */
export async function pageOfVideos(
  db: Db,
  userId: number,
  { after, limit, order }: VideoPage,
): Promise<{ tasks: TaskRow[]; hasMore: boolean }> {
  let rows = db
    .selectFrom('tasks')
    .where('user_id', '=', userId)
    .where('platform', 'in', ['video', 'kling'])
    .where('hidden_at', '=', 0);
  if (after !== '') {
    const { id } = await videoOf(db, userId, after);
    rows = rows.where('id', order === 'asc' ? '>' : '<', id);
  }
  const found = await rows
    .selectAll()
    .orderBy('id', order)
    .limit(limit + 1)
    .execute();
  return { tasks: found.slice(0, limit), hasMore: found.length > limit };
}

/**
 * Stops a video that is being made; one that has ended is left alone. Throws a 400 if its vendor has no such call, and a
 * 409 if the vendor did not confirm it.
 */
export async function stopVideo({ deps }: HttpContext, task: TaskRow): Promise<void> {
  if (isFinalTask(task.status)) return;
  const result = await cancelTask(deps, task);
  // Not a 409, which clients repeat.
  if (result === 'unsupported')
    throw refusal(400, 'video_not_ready', 'The video is being made, and its vendor cannot cancel it.');
  if (result === 'running') throw refusal(409, 'video_not_cancelled', 'The vendor did not cancel the video.');
}

const refusal = (status: number, code: string, message: string): TaskRefusal =>
  new TaskRefusal(status, message, 4, { type: 'invalid_request_error', code });

/** Hides a task from the callers' dialects; the books and the console keep it. */
export async function hideVideo({ deps: { db, now } }: HttpContext, { id }: TaskRow): Promise<void> {
  await db.updateTable('tasks').set({ hidden_at: now() }).where('id', '=', id).execute();
}
