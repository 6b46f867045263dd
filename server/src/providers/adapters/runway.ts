/** Runway. Source: @runwayml/sdk 4.20.1. */
import { type Json, listOr, textOr } from '#json.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import type { TaskOperation } from '../task-operation.ts';
import { taskStates, videoOrders } from '#providers/task-vendors/rest-video.ts';
import {
  addressOf,
  fileAt,
  idIn,
  MODERATED,
  oneOf,
  progressIn,
  secondsWithin,
  type VendorAbilities,
  videoIn,
} from '#providers/task-vendors/video-fields.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';

const abilities: VendorAbilities = {
  vendor: 'Runway',
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame', 'seed'],
};

/** Sizes by resolution and ratio. */
const sizes: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '720p': {
    '16:9': '1280:720',
    '9:16': '720:1280',
    '1:1': '960:960',
    '4:3': '1104:832',
    '3:4': '832:1104',
    '21:9': '1584:672',
  },
  '1080p': { '16:9': '1920:1080', '9:16': '1080:1920' },
};

export const runwayTasks: TaskOperation = {
  ...videoOrders({
    path: '/v1/text_to_video',
    video: (order) => videoIn(order, abilities),
    terms: ({ seconds, resolution }) => ({
      seconds: secondsWithin(seconds, [2, 10], 5),
      resolution: oneOf(resolution, Object.keys(sizes), '720p', 'resolution'),
    }),
    request({ video, terms: { seconds, resolution }, model }) {
      const { prompt, firstFrame, lastFrame, seed } = video;
      if (lastFrame && !firstFrame) throw new BadTaskRequest('A last frame needs a first one.', 'lastFrame');
      const frames = [
        ...(firstFrame ? [{ uri: addressOf(firstFrame), position: 'first' }] : []),
        ...(lastFrame ? [{ uri: addressOf(lastFrame), position: 'last' }] : []),
      ];
      return {
        path: firstFrame ? '/v1/image_to_video' : '/v1/text_to_video',
        body: {
          model,
          ...(prompt !== '' && { promptText: prompt }),
          ratio: sizeOf(video, resolution),
          duration: seconds,
          ...(frames.length > 0 && { promptImage: lastFrame ? frames : frames[0]?.uri }),
          ...(seed !== undefined && { seed }),
        },
      };
    },
  }),
  platforms: ['video', 'kling'],
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id) => `/v1/tasks/${id}`,
    word: 'status',
    statuses: {
      PENDING: 'QUEUED',
      // Over the account's limit of concurrent tasks: it waits.
      THROTTLED: 'QUEUED',
      RUNNING: 'IN_PROGRESS',
      SUCCEEDED: 'SUCCESS',
      FAILED: 'FAILURE',
      CANCELLED: 'CANCEL',
    },
    shown: ['status', 'createdAt', 'failureCode'],
    media: ({ output }) => listOr(output).map((url) => fileAt(url)),
    reason: reasonOf,
    more: ({ progress }) => progressIn(progress, 1),
  }),
  cancel: {
    request: ({ upstreamId }) => ({ method: 'DELETE', path: `/v1/tasks/${encodeURIComponent(upstreamId)}` }),
    isCancelled: ({ status }) => status >= 200 && status < 300,
  },
};

function sizeOf(video: VideoOrder, resolution: string): string {
  const byRatio = sizes[resolution] ?? {};
  const { size } = video;
  const exact = size && `${size.width}:${size.height}`;
  if (exact && Object.values(byRatio).includes(exact)) return exact;
  const ratio = oneOf(video.ratio, Object.keys(byRatio), '16:9', 'ratio');
  return byRatio[ratio] ?? '1280:720';
}

function reasonOf({ failure, failureCode }: Json): string {
  const code = textOr(failureCode, '');
  const moderated = code.startsWith('SAFETY') ? MODERATED : '';
  return [moderated, textOr(failure, ''), code && `(${code})`].filter(Boolean).join(' ');
}

export const provider: Provider = {
  id: 'runway',
  type: 101,
  title: 'Runway',
  baseUrl: 'https://api.dev.runwayml.com',
  testModel: '',
  website: 'https://dev.runwayml.com',
  headers: (key) => ({ ...bearer(key), 'x-runway-version': '2024-11-06' }),
  tasks: runwayTasks,
};
