import type { Json } from '#json.ts';
import { type LinkContext, mediaAddress } from '#tasks/media/media-links.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

const words: Readonly<Partial<Record<TaskRow['status'], string>>> = {
  IN_PROGRESS: 'processing',
  SUCCESS: 'succeed',
  FAILURE: 'failed',
  CANCEL: 'failed',
};

/** The word of the legacy API for a status. */
const wordOf = (status: TaskRow['status']): string => words[status] ?? 'submitted';

/** A task in the vendor's legacy form, with our id and addresses. A video's id is that of its task. */
export const klingTask = (context: LinkContext, task: TaskRow): Json => ({
  task_id: task.task_id,
  task_status: wordOf(task.status),
  task_status_msg: task.fail_reason,
  task_info: task.state === '' ? {} : { external_task_id: task.state },
  created_at: task.submit_ms,
  updated_at: task.updated_at * 1000,
  ...(task.status === 'SUCCESS' && { task_result: { videos: videosOf(context, task) } }),
});

const videosOf = (context: LinkContext, task: TaskRow): Json[] =>
  task.media.map(({ seconds }, index) => ({
    id: task.task_id,
    url: mediaAddress(context, task, index),
    duration: String(seconds || numberOr(task.request['seconds'])),
  }));

const numberOr = (value: unknown): number | '' => (typeof value === 'number' ? value : '');

/** A task in the form of the vendor's newer API. */
export const newKlingTask = (context: LinkContext, task: TaskRow): Json => ({
  id: task.task_id,
  status: task.status === 'SUCCESS' ? 'succeeded' : wordOf(task.status),
  message: task.fail_reason,
  create_time: task.submit_ms,
  update_time: task.updated_at * 1000,
  external_id: task.state,
  ...(task.status === 'SUCCESS' && {
    outputs: videosOf(context, task).map((video) => ({ type: 'video', ...video })),
  }),
});
