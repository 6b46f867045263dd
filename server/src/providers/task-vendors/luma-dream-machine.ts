/** Luma's Dream Machine API, for ray-2, declared legacy. Source: lumaai 1.19.1. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { acceptedAs } from './video-fields.ts';
import {
  choiceOf,
  fileAt,
  given,
  HOUR_S,
  idIn,
  reportAs,
  secondsOf,
  shown,
  videoIn,
  type VendorAbilities,
  withMedia,
} from './video-rules.ts';

/** Default address of channels. */
export const lumaHost = 'https://agents.lumalabs.ai';
const oldHost = 'https://api.lumalabs.ai';

export const isDreamMachine = (model: string): boolean => /^ray-(?:flash-)?2\b/.test(model);

/** The older API has a separate host; a channel with another address has both APIs there. */
const hostOf = ({ baseUrl }: Pick<ProviderCall, 'baseUrl'>): string => (baseUrl === lumaHost ? oldHost : baseUrl);

const abilities: VendorAbilities = {
  vendor: 'Luma',
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame'],
  extra: ['loop'],
};

function termsOf(video: VideoOrder) {
  const seconds = secondsOf(video, 5, [5, 9]);
  if (seconds !== 5 && seconds !== 9) throw new BadTaskRequest("'seconds' must be 5 or 9.", 'seconds');
  return { seconds, resolution: choiceOf(video, 'resolution', '720p', ['540p', '720p', '1080p', '4k']) };
}

const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'QUEUED',
  dreaming: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

const root = '/dream-machine/v1/generations';

export const lumaDreamMachine: TaskOperation = {
  dialect: 'openai',
  path: `${root}/video`,
  serves: ({ model }) => isDreamMachine(model),
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, termsOf(videoIn(order, abilities))),
  submit(order, call) {
    const video = videoIn(order, abilities);
    const { prompt, ratio, firstFrame, lastFrame, extra } = video;
    const { seconds, resolution } = termsOf(video);
    const keyframes = given({
      frame0: firstFrame && frameOf(firstFrame, 'firstFrame'),
      frame1: lastFrame && frameOf(lastFrame, 'lastFrame'),
    });
    return {
      method: 'POST',
      baseUrl: hostOf(call),
      path: `${root}/video`,
      body: given({
        ...extra,
        model: call.model,
        prompt,
        aspect_ratio: ratio,
        duration: `${seconds}s`,
        resolution,
        keyframes: Object.keys(keyframes).length > 0 ? keyframes : undefined,
        callback_url: order.notifyUrl,
      }),
    };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task], call) => ({
    method: 'GET',
    baseUrl: hostOf(call),
    path: `${root}/${encodeURIComponent(task?.upstreamId ?? '')}`,
  }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const data = shown(json, ['state', 'model', 'created_at']);
    const report = { ...reportAs(task.upstreamId, json['state'], statuses), data };
    if (report.status === 'FAILURE') return [{ ...report, failReason: textOr(json['failure_reason'], '') }];
    if (report.status !== 'SUCCESS') return [report];
    const { video, image } = objectOr(json['assets']);
    const cover = fileAt(image, 'image')?.url;
    return [withMedia(report, [fileAt(video, 'video', cover === undefined ? {} : { cover })])];
  },
};

function frameOf(input: MediaInput, param: string): Json {
  if ('url' in input) return { type: 'image', url: input.url };
  throw new BadTaskRequest('This model takes images by their address only.', param);
}
