/**
 * Videos of Jimeng at Volcengine's visual service. Sources: copies of the vendor's pages, new-api. The model is the
 * vendor's `req_key`, which has the resolution in its name. Left out: pictures as results, camera templates.
 */
import { isObject, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type QuotedOrder, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { acceptedAs, idOf, newVideo, oneOf, pick, reasonOf, statusOf, videoMedia } from './video-fields.ts';

const HOUR_S = 3600;
const OK = 10_000;
const actionPath = (action: string): string => `/?Action=${action}&Version=2022-08-31`;

export const jimengTasks: TaskOperation = {
  dialect: 'openai',
  path: actionPath('CVSync2AsyncSubmitTask'),
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, billed, upstream = billed) => videoQuote(billed, { seconds: secondsOf(ordered(order, upstream)) }),
  submit(order, { model }) {
    const video = ordered(order, model);
    const { prompt, firstFrame, lastFrame, ratio, seed } = video;
    return {
      method: 'POST',
      path: actionPath('CVSync2AsyncSubmitTask'),
      body: {
        req_key: model,
        prompt,
        frames: secondsOf(video) === 10 ? 241 : 121,
        ...imagesOf([firstFrame, lastFrame].filter((one) => one !== undefined)),
        ...(!firstFrame && { aspect_ratio: ratio ?? '16:9' }),
        ...(seed !== undefined && { seed }),
      },
    };
  },
  receipt({ json }, _, { model }) {
    const { code, data } = objectOr(json);
    return code === OK ? acceptedAs(idOf(objectOr(data)['task_id']), 'QUEUED', { req_key: model }) : undefined;
  },
  poll: ([task]) => ({
    method: 'POST',
    path: actionPath('CVSync2AsyncGetResult'),
    // The name of the submission, whatever the channel maps today.
    body: { req_key: textOr(task?.vendor['req_key'], task?.model ?? ''), task_id: task?.upstreamId ?? '' },
  }),
  reports({ json }, [task]) {
    if (!isObject(json) || !task) return undefined;
    const { code, data } = json;
    const base = { upstreamId: task.upstreamId, hasResult: false };
    // Without code 10000 there is no data, whatever the HTTP status.
    if (code !== OK) {
      if (!isModeration(code)) return undefined;
      return [{ ...base, status: 'FAILURE', failReason: reasonOf(json) }];
    }
    if (!isObject(data) || typeof data['status'] !== 'string') return undefined;
    const media = videoMedia(data['video_url']);
    return [
      {
        ...base,
        ...statusOf(statuses, data['status']),
        failReason: endings[data['status']] ?? '',
        data: { ...pick(json, ['code', 'message', 'request_id']), data: pick(data, ['status', 'video_url']) },
        media,
        hasResult: media.length > 0,
      },
    ];
  },
};

const statuses = {
  in_queue: 'QUEUED',
  generating: 'IN_PROGRESS',
  done: 'SUCCESS',
  not_found: 'FAILURE',
  expired: 'FAILURE',
} as const;

const endings: Readonly<Record<string, string>> = {
  not_found: 'The upstream no longer knows this task.',
  expired: 'The task has expired at the upstream.',
};

/** Moderation of the request or the result, and copyright. */
const isModeration = (code: unknown): boolean =>
  typeof code === 'number' && ((code >= 50_411 && code <= 50_413) || (code >= 50_511 && code <= 50_519));

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const common = ['seconds', 'resolution', 'seed'] as const;
  const inputs = order.video?.firstFrame ? (['firstFrame', 'lastFrame'] as const) : (['ratio'] as const);
  const video = newVideo(order, model, { takes: [...common, ...inputs] });
  if (/_t2v_/.test(model) && video.firstFrame) throw new BadTaskRequest(`The model ${model} takes no image.`, 'image');
  if (/_i2v_/.test(model) && !video.firstFrame) throw new BadTaskRequest(`The model ${model} needs an image.`, 'image');
  if (/_tail_/.test(model) !== (video.lastFrame !== undefined))
    throw new BadTaskRequest(`The model ${model} takes ${video.lastFrame ? 'no' : 'a'} last frame.`, 'last_frame');
  const own = /_1080p?$|_pro$/.test(model) ? '1080p' : '720p';
  oneOf(video.resolution, [own], own, 'resolution');
  return video;
}

const secondsOf = ({ seconds }: VideoOrder): number => oneOf(seconds, [5, 10], 5, 'seconds');

/** All as addresses, or all as bytes. */
function imagesOf(images: readonly MediaInput[]) {
  const urls = images.flatMap((image) => ('url' in image ? [image.url] : []));
  const bytes = images.flatMap((image) => ('base64' in image ? [image.base64] : []));
  if (urls.length > 0 && bytes.length > 0)
    throw new BadTaskRequest('The images must all be addresses, or all be uploaded.', 'image');
  return { ...(urls.length > 0 && { image_urls: urls }), ...(bytes.length > 0 && { binary_data_base64: bytes }) };
}
