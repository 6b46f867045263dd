import type { Json } from '#json.ts';
import type { TaskRow } from '#tasks/task-rows.ts';

/** A task in the form of Suno-API. Its songs are the vendor's document, as clients know it. */
export const taskObject = (task: TaskRow): Json => ({
  task_id: task.task_id,
  action: task.action,
  // Clients take UNKNOWN for an end, and know no cancellation.
  status: task.status === 'UNKNOWN' ? 'SUBMITTED' : task.status === 'CANCEL' ? 'FAILURE' : task.status,
  fail_reason: task.fail_reason,
  submit_time: Math.floor(task.submit_ms / 1000),
  start_time: Math.floor(task.start_ms / 1000),
  finish_time: Math.floor(task.finish_ms / 1000),
  progress: `${task.progress}%`,
  data: task.data ?? null,
});
