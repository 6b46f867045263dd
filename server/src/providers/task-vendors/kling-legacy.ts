/**
 * Kling's API with the model's name in the body. Source: the vendor's document-api pages of autumn 2026. Left out, for
 * lack of certain facts or prices: lip sync, effects, avatars, voices. Extensions cannot be searched for when their
 * answer was lost: the vendor takes no id of ours with them.
 */
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import type { PolledTask, QuotedOrder, TaskOperation, TaskOrder, TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import {
  isNewerKling,
  klingModel,
  klingQuote,
  klingStatuses,
  type KlingTerms,
  klingWish,
  wishOfBody,
  wishOfVideo,
} from './kling-terms.ts';
import { klingTasks } from './kling.ts';
import { taskStates, videoDefaults } from './rest-video.ts';
import { addressOrBase64, fileAt, idOf, newVideo, notSettable, oneOf, pick, secondsWithin } from './video-fields.ts';

/** Values that callers may see: no account data and no billing. */
const shownTask = ['task_id', 'task_status', 'task_status_msg', 'task_info', 'task_result', 'created_at', 'updated_at'];

export const klingLegacyTasks: TaskOperation = {
  ...videoDefaults,
  path: '/v1/videos/text2video',
  platforms: ['kling', 'video'],
  serves: ({ model }) => !isNewerKling(model),
  quote: (order, billed, upstream = billed) => klingQuote(billed, termsOf(order, upstream)),
  submit(order, { model: name }) {
    const kind = kindOf(order);
    const callback = order.notifyUrl === '' ? {} : { callback_url: order.notifyUrl };
    const terms = termsOf(order, name);
    const body = order.platform === 'kling' ? passedOn(order) : bodyOf(newOne(order, klingModel(name)));
    return {
      method: 'POST',
      path: `/v1/videos/${kind}`,
      body:
        // It goes on as its parent and has none of the other fields.
        kind === 'video-extend'
          ? { ...pick(body, ['video_id', 'prompt', 'negative_prompt', 'cfg_scale']), ...callback }
          : { ...body, ...priced(terms, klingModel(name)), external_task_id: order.ownId, ...callback },
    };
  },
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    within: { submitted: 'data', polled: 'data' },
    isError: ({ code }) => code !== 0,
    traits: traitsOf,
    at: (id, _, task) => readOne(task, id),
    word: 'task_status',
    tellsStart: true,
    statuses: klingStatuses,
    name: 'task_id',
    shown: shownTask,
    media: filesOf,
    reason: ({ task_status_msg: reason }) => textOr(reason, ''),
    more: moreOf,
  }),
  traits: traitsOf,
  // The vendor takes our id instead of its id.
  find: ([ownId = ''], _, [task]) => readOne(task, encodeURIComponent(ownId)),
  also: [klingTasks],
};

/** Results are read below the path of the submission. */
function traitsOf(order: TaskOrder): Json {
  return { kind: kindOf(order) };
}

const readOne = (task: PolledTask | undefined, id: string) => {
  const kind = kinds.find((known) => known === task?.vendor['kind']) ?? 'text2video';
  return { method: 'GET', path: `/v1/videos/${kind}/${id}` } as const;
};

const kinds = ['text2video', 'image2video', 'multi-image2video', 'video-extend'] as const;

function kindOf({ platform, kind, video }: Pick<TaskOrder, 'platform' | 'kind' | 'video'>): (typeof kinds)[number] {
  if (platform === 'kling') return kinds.find((known) => known === kind) ?? 'text2video';
  return video?.firstFrame ? 'image2video' : video?.references?.length ? 'multi-image2video' : 'text2video';
}

const hasSound = (model: string): boolean => /^kling-v(?:2-6|[3-9])/.test(model);
const hasAnyLength = (model: string): boolean => /^kling-v[3-9]/.test(model);

function termsOf(order: QuotedOrder, name: string): KlingTerms {
  const model = klingModel(name);
  if (order.platform === 'kling') passedOn(order);
  const wish = order.platform === 'kling' ? wishOfBody(order) : wishOfVideo(newOne(order, model));
  const { mode, seconds, audio } = klingWish(wish, name);
  const kind = kindOf(order);
  oneOf(mode, ['std', 'pro'], 'std', 'quality');
  if (kind === 'video-extend') oneOf(seconds, [5], 5, 'seconds');
  else if (hasAnyLength(model)) secondsWithin(seconds, [3, 15], 5);
  else oneOf(seconds, [5, 10], 5, 'seconds');
  if (audio && (!hasSound(model) || kind === 'video-extend'))
    throw new BadTaskRequest(`The model ${model} makes no sound here.`, 'audio');
  return { mode, seconds, audio };
}

const priced = ({ mode, seconds, audio }: KlingTerms, model: string): Json => ({
  model_name: model,
  mode,
  duration: String(seconds),
  ...(hasSound(model) && { sound: audio ? 'on' : 'off' }),
});

const MOST_PICTURES = 4;

function newOne(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const { firstFrame, references = [] } = order.video ?? {};
  const inputs = firstFrame
    ? (['firstFrame', 'lastFrame'] as const)
    : references.length > 0
      ? (['ratio', 'references'] as const)
      : (['ratio'] as const);
  if (references.length > MOST_PICTURES)
    throw new BadTaskRequest(`At most ${MOST_PICTURES} references can be sent.`, 'references');
  return newVideo(order, model, {
    takes: ['negativePrompt', 'seconds', 'resolution', 'quality', 'audio', ...inputs],
    free: freeFields,
  });
}

/** Parameters that change neither price nor addresses. */
const freeFields = [
  'cfg_scale',
  'camera_control',
  'static_mask',
  'dynamic_masks',
  'multi_shot',
  'shot_type',
  'multi_prompt',
  'element_list',
  'watermark_info',
];

const callersFields = [
  ['prompt', 'negative_prompt', 'image', 'image_tail', 'image_list', 'video_id', 'aspect_ratio', 'sound'],
  ['model_name', 'model', 'mode', 'duration', 'callback_url', 'external_task_id'],
  freeFields,
].flat();

/** The caller's request in the vendor's own form, without addresses and ids. Throws `BadTaskRequest`. */
function passedOn({ body }: Pick<QuotedOrder, 'body'>): Json {
  const odd = Object.keys(body).find((name) => !callersFields.includes(name));
  if (odd !== undefined) throw notSettable(odd);
  const { callback_url: _, external_task_id: __, model: ___, sound: ____, ...rest } = body;
  return rest;
}

function bodyOf({ prompt, negativePrompt, firstFrame, lastFrame, references = [], ratio, extra }: VideoOrder): Json {
  return {
    ...extra,
    prompt,
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(firstFrame
      ? { image: addressOrBase64(firstFrame) }
      : { aspect_ratio: oneOf(ratio, ['16:9', '9:16', '1:1'], '16:9', 'ratio') }),
    ...(lastFrame && { image_tail: addressOrBase64(lastFrame) }),
    ...(references.length > 0 && { image_list: references.map((image) => ({ image: addressOrBase64(image) })) }),
  };
}

function filesOf({ task_result: result }: Json) {
  const { videos, images } = objectOr(result);
  return [
    ...listOr(videos)
      .map(objectOr)
      .map(({ url, duration: seconds }) => fileAt(url, 'video', { seconds })),
    ...listOr(images)
      .map(objectOr)
      .map(({ url }) => fileAt(url, 'image')),
  ];
}

function moreOf(task: Json, answer: Json): Partial<TaskReport> {
  const { task_status: word, updated_at: finishMs } = task;
  return {
    ownId: textOr(objectOr(task['task_info'])['external_task_id'], ''),
    ...(word === 'succeed' && Number.isSafeInteger(finishMs) && { finishMs: Number(finishMs) }),
    data: { ...pick(answer, ['code', 'message', 'request_id']), data: pick(task, shownTask) },
  };
}
