/**
 * Videos of Jimeng at Volcengine's visual service. Sources: copies of the vendor's pages, new-api. The model is the
 * vendor's `req_key`, which has the resolution in its name. Left out: pictures as results, camera templates.
 */
import { type Json, objectOr, textOr } from '#json.ts';
import { keyOf } from '../form.ts';
import type { Provider } from '../provider.ts';
import { volcengineHeaders } from '#providers/signing/volcengine-signature.ts';
import type { QuotedOrder, TaskOperation } from '../task-operation.ts';
import { taskStates, videoOrders } from '#providers/task-vendors/rest-video.ts';
import { acceptedAs, fileAt, idOf, newVideo, oneOf, pick, reasonOf } from '#providers/task-vendors/video-fields.ts';
import { errorsByCode } from '../upstream-errors.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';

const OK = 10_000;
const actionPath = (action: string): string => `/?Action=${action}&Version=2022-08-31`;

export const jimengTasks: TaskOperation = {
  ...videoOrders({
    path: actionPath('CVSync2AsyncSubmitTask'),
    video: ordered,
    terms: ({ seconds }) => ({ seconds: oneOf(seconds, [5, 10], 5, 'seconds') }),
    request({ video: { prompt, firstFrame, lastFrame, ratio, seed }, terms, model }) {
      return {
        body: {
          req_key: model,
          prompt,
          frames: terms.seconds === 10 ? 241 : 121,
          ...imagesOf([firstFrame, lastFrame].filter((one) => one !== undefined)),
          ...(!firstFrame && { aspect_ratio: ratio ?? '16:9' }),
          ...(seed !== undefined && { seed }),
        },
      };
    },
  }),
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    at: (_, __, task) => ({
      method: 'POST',
      path: actionPath('CVSync2AsyncGetResult'),
      // The name of the submission, whatever the channel maps today.
      body: { req_key: textOr(task?.vendor['req_key'], task?.model ?? ''), task_id: task?.upstreamId ?? '' },
    }),
    within: { polled: 'data' },
    // Without code 10000 there is no data, whatever the HTTP status.
    isError: ({ code }) => code !== OK,
    knowsAll: true,
    byStatus({ json }) {
      const answer = objectOr(json);
      return isModeration(answer['code']) ? { status: 'FAILURE', failReason: reasonOf(answer) } : undefined;
    },
    word: 'status',
    statuses: {
      in_queue: 'QUEUED',
      generating: 'IN_PROGRESS',
      done: 'SUCCESS',
      not_found: 'FAILURE',
      expired: 'FAILURE',
    },
    shown: ['status', 'video_url'],
    media: ({ video_url: url }) => [fileAt(url, 'video')],
    reason: (_, word) => endings[word] ?? '',
    more: (data, answer) => ({
      data: { ...pick(answer, ['code', 'message', 'request_id']), data: pick(data, ['status', 'video_url']) },
    }),
  }),
  receipt({ json }, _, { model }) {
    const { code, data } = objectOr(json);
    return code === OK ? acceptedAs(idOf(objectOr(data)['task_id']), 'QUEUED', { req_key: model }) : undefined;
  },
};

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

/** All as addresses, or all as bytes. */
function imagesOf(images: readonly MediaInput[]): Json {
  const urls = images.flatMap((image) => ('url' in image ? [image.url] : []));
  const bytes = images.flatMap((image) => ('base64' in image ? [image.base64] : []));
  if (urls.length > 0 && bytes.length > 0)
    throw new BadTaskRequest('The images must all be addresses, or all be uploaded.', 'image');
  return { ...(urls.length > 0 && { image_urls: urls }), ...(bytes.length > 0 && { binary_data_base64: bytes }) };
}

export const provider: Provider = {
  id: 'jimeng',
  type: 106,
  title: 'Jimeng',
  baseUrl: 'https://visual.volcengineapi.com',
  testModel: '',
  website: 'https://console.volcengine.com/ai/ability/detail/10',
  form: { key: keyOf(['AccessKey', 'SecretKey']) },
  headers: () => ({}),
  sign: (request, key, now) => volcengineHeaders(request, key, { region: 'cn-north-1', service: 'cv' }, now),
  error: errorsByCode(10_000, {
    50411: 400,
    50412: 400,
    50413: 400,
    50429: 429,
    50430: 429,
    50500: 500,
    50501: 500,
  }),
  tasks: jimengTasks,
};
