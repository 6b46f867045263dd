/**
 * Kling's API since 2026-06-17, with the model's version in the path. Source: the vendor's document-api pages. It takes
 * API keys only. Left out, for lack of certain facts: elements, video input, motion control.
 */
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type QuotedOrder, type TaskOperation, type TaskReport } from '../task-operation.ts';
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
import {
  acceptedAs,
  addressOrBase64,
  idOf,
  imageMedia,
  newVideo,
  oneOf,
  pick,
  secondsWithin,
  statusOf,
  videoMedia,
} from './video-fields.ts';

const HOUR_S = 3600;

export const klingTasks: TaskOperation = {
  dialect: 'openai',
  path: '/text-to-video',
  usage: noTokenUsage,
  platforms: ['kling', 'video'],
  deadlineS: HOUR_S,
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
  receipt({ json }) {
    const { code, data } = objectOr(json);
    if (code !== 0 || !isObject(data)) return undefined;
    return acceptedAs(idOf(data['id']), statusOf(klingStatuses, textOr(data['status'], '')).status);
  },
  poll: (tasks) =>
    tasksBy(
      'task_ids',
      tasks.map(({ upstreamId }) => upstreamId),
    ),
  find: (ownIds) => tasksBy('external_task_ids', ownIds),
  reports({ status, json }) {
    if (status !== 200 || !isObject(json) || json['code'] !== 0 || !Array.isArray(json['data'])) return undefined;
    return json['data'].filter(isObject).flatMap((task) => reportOf(json, task));
  },
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

/** In the form of the older API, so that callers of Kling's dialect get one form from both. */
function reportOf(json: Json, task: Json): TaskReport[] {
  const upstreamId = idOf(task['id']);
  if (upstreamId === '') return [];
  const outputs = listOr(task['outputs']).filter(isObject);
  const videos = outputs
    .filter(({ type }) => type === 'video')
    .map((output) => pick(output, ['id', 'url', 'duration']));
  const images = outputs.filter(({ type }) => type === 'image').map((output) => pick(output, ['id', 'url']));
  const media = [
    ...videos.flatMap(({ url, duration }) => videoMedia(url, { seconds: duration })),
    ...images.flatMap(({ url }) => imageMedia(url)),
  ];
  const word = textOr(task['status'], '');
  const message = textOr(task['message'], '');
  const result = { ...(videos.length > 0 && { videos }), ...(images.length > 0 && { images }) };
  return [
    {
      upstreamId,
      ownId: textOr(task['external_id'], ''),
      ...statusOf(klingStatuses, word),
      failReason: message,
      media,
      hasResult: media.length > 0,
      data: {
        ...pick(json, ['code', 'message', 'request_id']),
        data: {
          task_id: upstreamId,
          task_status: word === 'succeeded' ? 'succeed' : word === 'queued' ? 'submitted' : word,
          task_status_msg: message,
          task_result: result,
          ...(task['create_time'] !== undefined && { created_at: task['create_time'] }),
          ...(task['update_time'] !== undefined && { updated_at: task['update_time'] }),
        },
      },
    },
  ];
}
