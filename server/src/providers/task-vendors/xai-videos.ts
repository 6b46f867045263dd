/** Videos of xAI. Source: @ai-sdk/xai 5.0.12 and the vendor's documentation. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';
import { acceptedAs, addressOf } from './video-fields.ts';
import {
  choiceOf,
  failedReport,
  fileAt,
  given,
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

/** An edit is as long as its video, so it cannot be priced before; it is not offered. */
const abilities: VendorAbilities = {
  vendor: 'xAI',
  kinds: ['extend'],
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'references', 'video'],
};

const termsOf = (video: VideoOrder) => ({
  seconds: secondsOf(video, 5, [1, 15]),
  resolution: choiceOf(video, 'resolution', '480p', ['480p', '720p', '1080p']),
});

const MOST_REFERENCES = 7;

const statuses: Readonly<Record<string, TaskStatus>> = {
  pending: 'QUEUED',
  queued: 'QUEUED',
  processing: 'IN_PROGRESS',
  done: 'SUCCESS',
  failed: 'FAILURE',
  expired: 'FAILURE',
};

export const xaiVideos: TaskOperation = {
  dialect: 'openai',
  path: '/v1/videos/generations',
  serves: ({ model }) => /imagine-video/.test(model),
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => videoQuote(model, termsOf(videoIn(order, abilities))),
  submit(order, { model }) {
    const video = videoIn(order, abilities);
    const { kind, prompt, ratio, firstFrame, references = [], video: source } = video;
    const { seconds, resolution } = termsOf(video);
    if (resolution === '1080p' && (!/-1\.5\b/.test(model) || references.length > 0))
      throw new BadTaskRequest("'resolution' must be 480p or 720p for this request.", 'resolution');
    if (references.length > MOST_REFERENCES)
      throw new BadTaskRequest(`At most ${MOST_REFERENCES} reference images are possible.`, 'references');
    if ((kind === 'extend') !== (source !== undefined))
      throw new BadTaskRequest('A video is needed to be extended, and for nothing else.', 'video');
    return {
      method: 'POST',
      path: kind === 'extend' ? '/v1/videos/extensions' : '/v1/videos/generations',
      body: given({
        model,
        prompt,
        duration: seconds,
        resolution,
        aspect_ratio: ratio,
        image: firstFrame && { url: addressOf(firstFrame) },
        reference_images: references.map((one) => ({ url: addressOf(one) })),
        video: source && { url: addressOf(source) },
      }),
    };
  },
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['request_id'])) : undefined),
  poll: ([task]) => ({ method: 'GET', path: `/v1/videos/${encodeURIComponent(task?.upstreamId ?? '')}` }),
  reports({ status, json }, [task]) {
    if (!task) return undefined;
    const { upstreamId } = task;
    // 202: not finished, whatever the body says.
    if (status === 202)
      return [{ upstreamId, status: 'IN_PROGRESS', hasResult: false, ...progressIn(objectOr(json)['progress']) }];
    if (!isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const video = objectOr(json['video']);
    const data = shown(json, ['status', 'model', 'progress']);
    const report = { ...reportAs(upstreamId, json['status'], statuses), ...progressIn(json['progress']), data };
    if (report.status === 'FAILURE') {
      const { code, message } = objectOr(json['error']);
      const reason = [textOr(message, ''), textOr(code, '')].filter(Boolean).join(', ');
      return [{ ...report, failReason: reason || 'The request has expired.' }];
    }
    if (report.status !== 'SUCCESS') return [report];
    if (video['respect_moderation'] === false) return [failedReport(upstreamId, MODERATED)];
    const { duration } = video;
    const length = typeof duration === 'number' && duration > 0 ? { seconds: duration } : {};
    return [withMedia(report, [fileAt(video['url'], 'video', length)])];
  },
};
