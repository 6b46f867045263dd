/**
 * Vidu's own API. Source: platform.vidu.com. Left out: sounds, `bgm`, whose price is not known. The list of tasks is read
 * as objects with `id`, `state` and `payload`, which the documentation does not show in full.
 */
import { isObject, type Json, listOr, textOr } from '#json.ts';
import { noTokenUsage, type QuotedOrder, type TaskOperation, type TaskReport } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import {
  acceptedAs,
  addressOf,
  idOf,
  isDone,
  newVideo,
  oneOf,
  pick,
  secondsWithin,
  statusOf,
  videoMedia,
} from './video-fields.ts';

const HOUR_S = 3600;

export const viduTasks: TaskOperation = {
  dialect: 'openai',
  path: '/text2video',
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  longDeadlineS: ({ video }) => (video && isOffPeak(video) ? 48 * HOUR_S : undefined),
  batch: 1,
  quote: (order, billed, upstream = billed) => {
    const video = ordered(order, upstream);
    const quality = isOffPeak(video) ? 'off_peak' : undefined;
    return videoQuote(billed, { ...termsOf(video, upstream), quality });
  },
  submit(order, { model }) {
    const video = ordered(order, model);
    const { prompt, firstFrame, lastFrame, references = [], ratio, seed, audio } = video;
    const { seconds, resolution } = termsOf(video, model);
    const images = [firstFrame, lastFrame, ...references].filter((one) => one !== undefined).map(addressOf);
    return {
      method: 'POST',
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
  receipt({ json }) {
    if (!isObject(json)) return undefined;
    return acceptedAs(idOf(json['task_id']), statusOf(statuses, textOr(json['state'], '')).status);
  },
  poll: ([task]) => ({ method: 'GET', path: `/tasks/${encodeURIComponent(task?.upstreamId ?? '')}/creations` }),
  find: () => ({ method: 'GET', path: '/tasks?pager.pagesz=100' }),
  reports({ status, json }, [polled]) {
    if (status === 404 && isObject(json)) return [];
    if (status !== 200 || !isObject(json)) return undefined;
    const { tasks } = json;
    if (Array.isArray(tasks)) return tasks.filter(isObject).flatMap((task) => reportOf(task, idOf(task['id'])));
    return polled && typeof json['state'] === 'string' ? reportOf(json, polled.upstreamId) : undefined;
  },
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

const statuses = {
  created: 'QUEUED',
  queueing: 'QUEUED',
  processing: 'IN_PROGRESS',
  success: 'SUCCESS',
  failed: 'FAILURE',
} as const;

/** Parameters that do not raise the price. */
const freeFields = ['style', 'movement_amplitude', 'watermark', 'off_peak'];

const isOffPeak = ({ extra }: VideoOrder): boolean => extra?.['off_peak'] === true;

function reportOf(task: Json, upstreamId: string): TaskReport[] {
  if (upstreamId === '') return [];
  const creations = listOr(task['creations']).filter(isObject);
  const media = creations.flatMap(({ url, cover_url: cover }) => videoMedia(url, { cover }));
  return [
    {
      upstreamId,
      ownId: textOr(task['payload'], ''),
      ...statusOf(statuses, textOr(task['state'], '')),
      failReason: textOr(task['err_code'], ''),
      data: {
        ...pick(task, ['id', 'state', 'err_code']),
        creations: creations.map((one) => pick(one, ['id', 'url', 'cover_url'])),
      },
      media,
      hasResult: media.length > 0,
    },
  ];
}

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

function termsOf({ seconds, resolution, audio = false }: VideoOrder, model: string) {
  const limits: readonly [number, number] = isQ3(model) ? [1, 16] : isQ1(model) ? [5, 5] : [1, 10];
  return {
    seconds: secondsWithin(seconds, limits, 5),
    resolution: oneOf(resolution, ['540p', '720p', '1080p'], isQ1(model) ? '1080p' : '720p', 'resolution'),
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
