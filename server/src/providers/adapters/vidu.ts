/**
 * Vidu's own API. Source: platform.vidu.com. The vendor's site for China is `https://api.vidu.cn/ent/v2`. Left out: sounds,
 * `bgm`, whose price is not known. The list of tasks is read as objects with `id`, `state` and `payload`, which the
 * documentation does not show in full.
 */
import { isObject, listOr, objectOr, textOr } from '#json.ts';
import type { Provider } from '../provider.ts';
import type { QuotedOrder, TaskOperation } from '../task-operation.ts';
import { taskStates, videoOrders } from '#providers/task-vendors/rest-video.ts';
import {
  addressOf,
  fileAt,
  HOUR_S,
  idOf,
  isDone,
  newVideo,
  oneOf,
  pick,
  secondsWithin,
} from '#providers/task-vendors/video-fields.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';

export const viduTasks: TaskOperation = {
  ...videoOrders({
    path: '/text2video',
    video: ordered,
    terms: termsOf,
    request({ video, terms: { seconds, resolution }, model, order }) {
      const { prompt, firstFrame, lastFrame, references = [], ratio, seed, audio } = video;
      const images = [firstFrame, lastFrame, ...references].filter((one) => one !== undefined).map(addressOf);
      return {
        path: pathFor(video),
        body: {
          ...video.extra,
          model,
          prompt,
          duration: seconds,
          resolution,
          ...(images.length > 0 && { images }),
          ...(!firstFrame && { aspect_ratio: ratio ?? '16:9' }),
          ...(seed !== undefined && { seed }),
          ...(isQ3(model) && { audio: audio === true }),
          off_peak: isOffPeak(video),
          // Returned in lists, so that a task whose answer was lost is found.
          payload: order.ownId,
          ...(order.notifyUrl !== '' && { callback_url: order.notifyUrl }),
        },
      };
    },
  }),
  longDeadlineS: ({ video }) => (video && isOffPeak(video) ? 48 * HOUR_S : undefined),
  ...taskStates({
    id: ({ task_id: id }) => idOf(id),
    at: (id) => `/tasks/${id}/creations`,
    within: { listed: 'tasks' },
    word: 'state',
    tellsStart: true,
    statuses: {
      created: 'QUEUED',
      queueing: 'QUEUED',
      processing: 'IN_PROGRESS',
      success: 'SUCCESS',
      failed: 'FAILURE',
    },
    ownId: 'payload',
    shown: ['id', 'state', 'err_code'],
    media: ({ creations }) =>
      listOr(creations)
        .map(objectOr)
        .map(({ url, cover_url: cover }) => fileAt(url, 'video', { cover })),
    reason: ({ err_code: code }) => textOr(code, ''),
    more: (task) => ({
      data: {
        ...pick(task, ['id', 'state', 'err_code']),
        creations: listOr(task['creations'])
          .filter(isObject)
          .map((one) => pick(one, ['id', 'url', 'cover_url'])),
      },
    }),
  }),
  find: () => ({ method: 'GET', path: '/tasks?pager.pagesz=100' }),
  // Only what waits for the off-peak hours.
  cancel: {
    request: ({ upstreamId }) => ({
      method: 'POST',
      path: `/tasks/${encodeURIComponent(upstreamId)}/cancel`,
      body: { id: upstreamId },
    }),
    isCancelled: isDone,
  },
};

/** Parameters that do not raise the price. */
const freeFields = ['style', 'movement_amplitude', 'watermark', 'off_peak'];

const isOffPeak = ({ extra }: VideoOrder): boolean => extra?.['off_peak'] === true;

const isQ1 = (model: string): boolean => /^viduq1/i.test(model);
const isQ3 = (model: string): boolean => /^viduq3/i.test(model);

/** Throws `BadTaskRequest` for what the model cannot do. */
function ordered(order: Pick<QuotedOrder, 'video'>, model: string): VideoOrder {
  const common = ['seconds', 'resolution', 'seed', ...(isQ3(model) ? ['audio' as const] : [])] as const;
  const inputs = order.video?.firstFrame ? (['firstFrame', 'lastFrame'] as const) : (['ratio', 'references'] as const);
  const video = newVideo(order, model, { takes: [...common, ...inputs], free: freeFields });
  if (video.prompt.length > 5000) throw new BadTaskRequest('The prompt has more than 5000 characters.', 'prompt');
  return video;
}

function termsOf(video: VideoOrder, model: string) {
  const { seconds, resolution, audio = false } = video;
  const limits: readonly [number, number] = isQ3(model) ? [1, 16] : isQ1(model) ? [5, 5] : [1, 10];
  return {
    seconds: secondsWithin(seconds, limits, 5),
    resolution: oneOf(resolution, ['540p', '720p', '1080p'], isQ1(model) ? '1080p' : '720p', 'resolution'),
    quality: isOffPeak(video) ? 'off_peak' : undefined,
    audio,
  };
}

const pathFor = ({ firstFrame, lastFrame, references = [] }: VideoOrder): string =>
  lastFrame
    ? '/start-end2video'
    : firstFrame
      ? '/img2video'
      : references.length > 0
        ? '/reference2video'
        : '/text2video';

export const provider: Provider = {
  id: 'vidu',
  type: 103,
  title: 'Vidu',
  baseUrl: 'https://api.vidu.com/ent/v2',
  testModel: '',
  website: 'https://platform.vidu.com',
  headers: (key) => ({ authorization: `Token ${key}` }),
  tasks: viduTasks,
};
