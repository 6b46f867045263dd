/** Runway. Source: @runwayml/sdk 4.20.1. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, listOr, textOr } from '#json.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { acceptedAs, addressOf } from './video-fields.ts';
import {
  choiceOf,
  fileAt,
  HOUR_S,
  idIn,
  MODERATED,
  progressIn,
  reportAs,
  secondsOf,
  shown,
  videoIn,
  type VendorAbilities,
  withMedia,
} from './video-rules.ts';

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

const termsOf = (video: VideoOrder) => ({
  seconds: secondsOf(video, 5, [2, 10]),
  resolution: choiceOf(video, 'resolution', '720p', Object.keys(sizes)),
});

const statuses: Readonly<Record<string, TaskStatus>> = {
  PENDING: 'QUEUED',
  // Over the account's limit of concurrent tasks: it waits.
  THROTTLED: 'QUEUED',
  RUNNING: 'IN_PROGRESS',
  SUCCEEDED: 'SUCCESS',
  FAILED: 'FAILURE',
  CANCELLED: 'CANCEL',
};

export const runwayTasks: TaskOperation = {
  dialect: 'openai',
  path: '/v1/text_to_video',
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, termsOf(videoIn(order, abilities))),
  submit(order, { model }) {
    const video = videoIn(order, abilities);
    const { prompt, firstFrame, lastFrame, seed } = video;
    const { seconds, resolution } = termsOf(video);
    if (lastFrame && !firstFrame) throw new BadTaskRequest('A last frame needs a first one.', 'lastFrame');
    const frames = [
      ...(firstFrame ? [{ uri: addressOf(firstFrame), position: 'first' }] : []),
      ...(lastFrame ? [{ uri: addressOf(lastFrame), position: 'last' }] : []),
    ];
    return {
      method: 'POST',
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
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task]) => ({ method: 'GET', path: taskPath(task?.upstreamId ?? '') }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const report = {
      ...reportAs(task.upstreamId, json['status'], statuses),
      ...progressIn(json['progress'], 1),
      data: shown(json, ['status', 'createdAt', 'failureCode']),
    };
    if (report.status === 'FAILURE') return [{ ...report, failReason: reasonOf(json) }];
    if (report.status !== 'SUCCESS') return [report];
    return [
      withMedia(
        report,
        listOr(json['output']).map((url) => fileAt(url)),
      ),
    ];
  },
  cancel: {
    request: ({ upstreamId }) => ({ method: 'DELETE', path: taskPath(upstreamId) }),
    isCancelled: ({ status }) => status >= 200 && status < 300,
  },
};

const taskPath = (id: string): string => `/v1/tasks/${encodeURIComponent(id)}`;

function sizeOf(video: VideoOrder, resolution: string): string {
  const byRatio = sizes[resolution] ?? {};
  const { size } = video;
  const exact = size && `${size.width}:${size.height}`;
  if (exact && Object.values(byRatio).includes(exact)) return exact;
  const ratio = choiceOf(video, 'ratio', '16:9', Object.keys(byRatio));
  return byRatio[ratio] ?? '1280:720';
}

function reasonOf({ failure, failureCode }: Record<string, unknown>): string {
  const code = textOr(failureCode, '');
  const moderated = code.startsWith('SAFETY') ? MODERATED : '';
  return [moderated, textOr(failure, ''), code && `(${code})`].filter(Boolean).join(' ');
}
