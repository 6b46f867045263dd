/**
 * Kling's API since 2026-06-17, with the model's version in the path. Source: the vendor's document-api pages. It takes
 * API keys only. Left out, for lack of certain facts: elements, video input, motion control.
 */
import { isObject, type Json, listOr, textOr } from '#json.ts';
import type { QuotedOrder, TaskOperation, TaskReport } from '../task-operation.ts';
import type { VideoOrder } from '../video-order.ts';
import {
  isNewerKling,
  klingModel,
  klingQuote,
  klingStatuses,
  type KlingTerms,
  klingWish,
  resolutionOf,
  wishOfVideo,
} from './kling-terms.ts';
import { taskStates, videoDefaults } from './rest-video.ts';
import { addressOrBase64, fileAt, idOf, newVideo, oneOf, pick, secondsWithin } from './video-fields.ts';

export const klingTasks: TaskOperation = {
  ...videoDefaults,
  path: '/text-to-video',
  platforms: ['kling', 'video'],
  batch: 50,
  serves: ({ model }) => isNewerKling(model),
  quote: (order, billed, upstream = billed) =>
    klingQuote(billed, termsOf(orderedVideo(order, klingModel(upstream)), upstream)),
  submit(order, { model: name }) {
    const model = klingModel(name);
    const video = orderedVideo(order, model);
    const { firstFrame, lastFrame, prompt, ratio } = video;
    const { resolution, seconds, audio } = termsOf(video, name);
    const { multi_shot: multiShot, watermark_info: watermark } = video.extra ?? {};
    return {
      method: 'POST',
      path: `/${pathFor(video, model)}/${encodeURIComponent(model)}`,
      body: {
        ...(firstFrame
          ? {
              contents: [
                ...(prompt === '' ? [] : [{ type: 'prompt', text: prompt }]),
                { type: 'first_frame', url: addressOrBase64(firstFrame) },
                ...(lastFrame ? [{ type: 'last_frame', url: addressOrBase64(lastFrame) }] : []),
              ],
            }
          : { prompt }),
        settings: {
          resolution,
          duration: seconds,
          audio: audio ? 'native' : 'off',
          ...(!firstFrame && { aspect_ratio: oneOf(ratio, ['16:9', '9:16', '1:1'], '16:9', 'ratio') }),
          ...(multiShot !== undefined && { multi_shot: multiShot }),
        },
        options: {
          external_task_id: order.ownId,
          ...(order.notifyUrl !== '' && { callback_url: order.notifyUrl }),
          ...(watermark !== undefined && { watermark_info: watermark }),
        },
      },
    };
  },
  ...taskStates({
    id: ({ id }) => idOf(id),
    within: { submitted: 'data', listed: 'data' },
    isError: ({ code }) => code !== 0,
    knowsAll: true,
    at: (id) => `/tasks?task_ids=${id}`,
    word: 'status',
    tellsStart: true,
    statuses: klingStatuses,
    ownId: 'external_id',
    media: filesOf,
    reason: ({ message }) => textOr(message, ''),
    more: olderForm,
  }),
  poll: (tasks) =>
    tasksBy(
      'task_ids',
      tasks.map(({ upstreamId }) => upstreamId),
    ),
  find: (ownIds) => tasksBy('external_task_ids', ownIds),
};

const tasksBy = (name: string, ids: readonly string[]) =>
  ({ method: 'GET', path: `/tasks?${name}=${ids.map(encodeURIComponent).join(',')}` }) as const;

const pathFor = ({ firstFrame }: VideoOrder, model: string): string =>
  isOmni(model) ? 'omni-video' : firstFrame ? 'image-to-video' : 'text-to-video';

const isOmni = (model: string): boolean => /-omni$|^kling-o\d/.test(model);

/** Throws `BadTaskRequest` for what the model cannot do. */
function orderedVideo(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const inputs = order.video?.firstFrame ? (['firstFrame', 'lastFrame'] as const) : (['ratio'] as const);
  return newVideo(order, model, {
    takes: ['seconds', 'resolution', 'quality', 'audio', ...inputs],
    free: ['multi_shot', 'watermark_info'],
  });
}

function termsOf(video: VideoOrder, name: string): KlingTerms & { resolution: string } {
  const { mode, seconds, audio } = klingWish(wishOfVideo(video), name);
  const allowed = klingModel(name).includes('turbo') ? ['720p', '1080p'] : ['720p', '1080p', '4k'];
  const resolution = oneOf(resolutionOf(mode), allowed, '720p', 'resolution');
  return { mode, resolution, seconds: secondsWithin(seconds, [3, 15], 5), audio };
}

function outputsOf({ outputs }: Json, type: string): Json[] {
  return listOr(outputs)
    .filter(isObject)
    .filter((one) => one['type'] === type);
}

function filesOf(task: Json) {
  return [
    ...outputsOf(task, 'video').map(({ url, duration: seconds }) => fileAt(url, 'video', { seconds })),
    ...outputsOf(task, 'image').map(({ url }) => fileAt(url, 'image')),
  ];
}

/** In the form of the older API, so that callers of Kling's dialect get one form from both. */
function olderForm(task: Json, answer: Json): Partial<TaskReport> {
  const videos = outputsOf(task, 'video').map((output) => pick(output, ['id', 'url', 'duration']));
  const images = outputsOf(task, 'image').map((output) => pick(output, ['id', 'url']));
  const { create_time: created, update_time: updated } = task;
  const word = textOr(task['status'], '');
  return {
    data: {
      ...pick(answer, ['code', 'message', 'request_id']),
      data: {
        task_id: idOf(task['id']),
        task_status: word === 'succeeded' ? 'succeed' : word === 'queued' ? 'submitted' : word,
        task_status_msg: textOr(task['message'], ''),
        task_result: { ...(videos.length > 0 && { videos }), ...(images.length > 0 && { images }) },
        ...(created !== undefined && { created_at: created }),
        ...(updated !== undefined && { updated_at: updated }),
      },
    },
  };
}
