/** Luma's Agents API, for ray-3 and later. Source: the vendor's error page and third parties. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, listOr, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { isDreamMachine } from './luma-dream-machine.ts';
import { acceptedAs } from './video-fields.ts';
import {
  choiceOf,
  fileAt,
  given,
  HOUR_S,
  idIn,
  MODERATED,
  reportAs,
  secondsOf,
  shown,
  videoIn,
  type VendorAbilities,
  withMedia,
} from './video-rules.ts';

const abilities: VendorAbilities = {
  vendor: 'Luma',
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame'],
  extra: ['loop'],
};

function termsOf(video: VideoOrder) {
  const seconds = secondsOf(video, 5, [5, 10]);
  if (seconds !== 5 && seconds !== 10) throw new BadTaskRequest("'seconds' must be 5 or 10.", 'seconds');
  return { seconds, resolution: choiceOf(video, 'resolution', '720p', ['360p', '540p', '720p', '1080p']) };
}

const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'QUEUED',
  processing: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

export const lumaAgents: TaskOperation = {
  dialect: 'openai',
  path: '/v1/generations',
  serves: ({ model }) => !isDreamMachine(model),
  usage: noTokenUsage,
  platforms: ['video'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, termsOf(videoIn(order, abilities))),
  submit(order, { model }) {
    const video = videoIn(order, abilities);
    const { prompt, ratio, firstFrame, lastFrame, extra } = video;
    const { seconds, resolution } = termsOf(video);
    return {
      method: 'POST',
      path: '/v1/generations',
      body: given({
        model,
        type: 'video',
        prompt,
        aspect_ratio: ratio,
        video: given({
          ...extra,
          resolution,
          duration: `${seconds}s`,
          start_frame: firstFrame && frameOf(firstFrame),
          end_frame: lastFrame && frameOf(lastFrame),
        }),
      }),
    };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task]) => ({ method: 'GET', path: `/v1/generations/${encodeURIComponent(task?.upstreamId ?? '')}` }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const data = shown(json, ['state', 'model', 'created_at', 'failure_code']);
    const report = { ...reportAs(task.upstreamId, json['state'], statuses), data };
    if (report.status === 'FAILURE') return [{ ...report, failReason: reasonOf(json) }];
    if (report.status !== 'SUCCESS') return [report];
    const files = listOr(json['output'])
      .map(objectOr)
      .map(({ url, type }) => fileAt(url, type === 'image' ? 'image' : 'video'));
    return [withMedia(report, files)];
  },
};

const frameOf = (input: MediaInput): Json =>
  'url' in input ? { url: input.url } : { data: input.base64, media_type: input.type };

function reasonOf({ failure_reason: reason, failure_code: code }: Json): string {
  const moderated = code === 'content_moderated' ? MODERATED : '';
  return [moderated, textOr(reason, '') || textOr(code, '')].filter(Boolean).join(' ');
}
