import type { Deps } from '#deps.ts';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { Caller } from '#live/callers.ts';
import type { MediaInput, VideoOrder } from '#providers/video-order.ts';
import type { OrderedTask } from '#tasks/submit/task-submission.ts';
import { invalidTask } from '#tasks/task-refusal.ts';
import type { TaskRow } from '#tasks/task-rows.ts';
import { hookField, mediaInput, promptField, secondsField, textField } from '#tasks/dialects/video/fields.ts';
import { finishedVideo, orderedVideo } from '#tasks/dialects/video/ordered-video.ts';
import { termsOf } from '#tasks/dialects/video/unified-order.ts';

/** Paths of the legacy API that are served. */
export const klingActions = ['text2video', 'image2video', 'multi-image2video', 'video-extend'] as const;
export type KlingAction = (typeof klingActions)[number];

/** Fields that are read here; all others are the vendor's own parameters. */
const known = new Set(
  (
    'model_name model prompt negative_prompt mode duration aspect_ratio sound image image_tail image_list video_id ' +
    'callback_url external_task_id'
  ).split(' '),
);

/** Reads a submission in the vendor's form. Throws a 400 that names the field. */
export async function klingOrder(
  deps: Deps,
  { userId }: Caller,
  body: Json,
  action: KlingAction,
): Promise<OrderedTask> {
  const parent = action === 'video-extend' ? await parentOf(deps, userId, body) : undefined;
  const terms = parent ? termsOf(parent.request) : {};
  const model = textField(body, 'model_name', 100) ?? textOr(parent?.request['model'], 'kling-v1');
  const mode = textField(body, 'mode', 20) ?? terms.quality ?? 'std';
  const seconds = secondsField(body, 'duration') ?? 5;
  if (!Number.isInteger(seconds) || seconds < 3 || seconds > 15)
    throw invalidTask("'duration' is not valid: it must be from 3 to 15.", 'duration');
  const externalId = textField(body, 'external_task_id', 200) ?? '';
  const video: VideoOrder = {
    kind: parent ? 'extend' : 'generate',
    prompt: promptField(body, action === 'text2video' || action === 'multi-image2video'),
    negativePrompt: textField(body, 'negative_prompt', 5000),
    seconds,
    ratio: textField(body, 'aspect_ratio', 20) ?? terms.ratio,
    resolution: terms.resolution,
    quality: mode,
    audio: soundIn(body),
    ...picturesIn(body, action),
    ...extraIn(body),
  };
  const { callback_url: _, external_task_id: __, video_id: ___, ...rest } = body;
  const sent = { ...rest, model_name: model, mode, duration: String(seconds) };
  return {
    ...orderedVideo({
      model,
      body: parent ? { ...sent, video_id: vendorsVideoId(parent) } : sent,
      video,
      notifyHook: hookField(body, 'callback_url'),
      parent,
    }),
    kind: action,
    action,
    listedAs: `kling-video_${model}_${mode}_${seconds}`,
    state: externalId,
  };
}

function soundIn(body: Json): boolean | undefined {
  const sound = textField(body, 'sound', 10);
  if (sound !== undefined && sound !== 'on' && sound !== 'off')
    throw invalidTask("'sound' is not valid: it must be on or off.", 'sound');
  return sound === undefined ? undefined : sound === 'on';
}

interface Pictures {
  firstFrame?: MediaInput | undefined;
  lastFrame?: MediaInput | undefined;
  references?: MediaInput[];
}

function picturesIn(body: Json, action: KlingAction): Pictures {
  if (action === 'image2video') {
    const firstFrame = mediaInput(body['image'], 'image');
    const lastFrame = mediaInput(body['image_tail'], 'image_tail');
    if (!firstFrame && !lastFrame) throw invalidTask("'image' is required.", 'image');
    return { firstFrame, lastFrame };
  }
  if (action !== 'multi-image2video') return {};
  const list = body['image_list'];
  if (!Array.isArray(list) || list.length < 1 || list.length > 4)
    throw invalidTask("'image_list' is not valid: it must have one to four pictures.", 'image_list');
  const references = list.map((one: unknown) => mediaInput(isObject(one) ? one['image'] : one, 'image_list'));
  if (references.includes(undefined)) throw invalidTask("'image_list' has an entry without a picture.", 'image_list');
  return { references: references.filter((one) => one !== undefined) };
}

function extraIn(body: Json): Pick<VideoOrder, 'extra'> {
  const own = Object.entries(body).filter(([name, value]) => !known.has(name) && value !== null);
  return own.length > 0 ? { extra: Object.fromEntries(own) } : {};
}

/** Video ids are those of our tasks, see `klingTask`. */
async function parentOf(deps: Deps, userId: number, body: Json): Promise<TaskRow> {
  const id = textField(body, 'video_id', 200);
  if (id === undefined) throw invalidTask("'video_id' is required.", 'video_id');
  return finishedVideo(deps, userId, id);
}

/** The vendor's id of a task's video, in its document; empty: another vendor made it. */
function vendorsVideoId({ data }: TaskRow): string {
  const task = objectOr(objectOr(data)['data'] ?? data);
  const { videos } = objectOr(task['task_result']);
  const [first]: unknown[] = Array.isArray(videos) ? videos : [];
  return textOr(objectOr(first)['id'], '');
}
