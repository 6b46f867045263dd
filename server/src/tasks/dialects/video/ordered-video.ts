import type { Deps } from '#deps.ts';
import { type Json, textOr } from '#json.ts';
import type { VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { videoOf } from './own-videos.ts';
import { shownOf } from './unified-order.ts';

const STORED_PROMPT = 8000;

interface VideoParts {
  model: string;
  body: Json;
  video: VideoOrder;
  /** Where the caller wants to be notified; empty: nowhere. */
  notifyHook: string;
  parent?: TaskRow | undefined;
  /** The dialect's own facts for later answers. */
  shown?: Json;
}

/** The order of a video, as the engine takes it. */
export function orderedVideo({ model, body, video, notifyHook, parent, shown }: VideoParts): OrderedTask {
  return {
    kind: video.kind,
    action: video.kind.toUpperCase(),
    mode: '',
    model,
    body,
    video,
    prompt: video.prompt.slice(0, STORED_PROMPT),
    state: '',
    notifyHook,
    parent,
    shown: { ...shownOf(model, video), ...shown },
  };
}

/** An own, finished video that is followed up. Throws a 404, or a 400 for one without a result. */
export async function finishedVideo({ db, book }: Deps, userId: number, taskId: string): Promise<TaskRow> {
  await book.caughtUp();
  const parent = await videoOf(db, userId, taskId);
  if (parent.status !== 'SUCCESS' || parent.upstream_id === '')
    throw invalidTask('The original video has not been completed.', 'video');
  return parent;
}

/** The model by which a task was ordered. */
export const modelOfVideo = ({ request, model }: TaskRow): string => textOr(request['model'], model);
