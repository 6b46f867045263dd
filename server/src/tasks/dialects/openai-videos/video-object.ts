import { type Json, textOr } from '#json.ts';
import { type LinkContext, mediaAddress } from '#tasks/media/media-links.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { modelOfVideo } from '#tasks/dialects/video/ordered-video.ts';

/** A task as OpenAI's Video, with the additions of new-api: `task_id`, and the address of the result in `metadata`. */
export function videoObject(context: LinkContext, task: TaskRow): Json {
  const { status, request } = task;
  const isCompleted = status === 'SUCCESS';
  const url = isCompleted ? mediaAddress(context, task, 0) : '';
  const seconds = request['seconds'];
  return {
    id: task.task_id,
    object: 'video',
    task_id: task.task_id,
    model: modelOfVideo(task),
    status: openAiStatus(status),
    progress: task.progress,
    created_at: task.created_at,
    completed_at: isCompleted ? Math.floor(task.finish_ms / 1000) : null,
    expires_at: null,
    prompt: task.prompt,
    // A text, as in OpenAI's own answers.
    seconds: typeof seconds === 'number' ? String(seconds) : '',
    size: textOr(request['size'], ''),
    remixed_from_video_id: task.action === 'REMIX' ? task.parent_task_id : null,
    error: errorOf(task),
    ...(url !== '' && { metadata: { url } }),
  };
}

/** There is no `cancelled` in this dialect. */
export function openAiStatus(status: TaskRow['status']): 'queued' | 'in_progress' | 'completed' | 'failed' {
  if (status === 'SUCCESS') return 'completed';
  if (status === 'FAILURE' || status === 'CANCEL') return 'failed';
  return status === 'IN_PROGRESS' ? 'in_progress' : 'queued';
}

function errorOf({ status, fail_reason }: TaskRow): Json | null {
  if (status === 'CANCEL') return { code: 'video_cancelled', message: fail_reason || 'The video was cancelled.' };
  return status === 'FAILURE' ? { code: 'video_generation_failed', message: fail_reason } : null;
}
