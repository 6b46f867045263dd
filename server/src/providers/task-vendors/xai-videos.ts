/** Videos of xAI. Source: @ai-sdk/xai 5.0.12 and the vendor's documentation. */
import { objectOr, textOr } from '#json.ts';
import type { TaskOperation } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { taskStates, videoOrders } from './rest-video.ts';
import {
  addressOf,
  fileAt,
  given,
  idIn,
  MODERATED,
  oneOf,
  progressIn,
  secondsWithin,
  type VendorAbilities,
  videoIn,
} from './video-fields.ts';

/** An edit is as long as its video, so it cannot be priced before; it is not offered. */
const abilities: VendorAbilities = {
  vendor: 'xAI',
  kinds: ['extend'],
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'references', 'video'],
};

const MOST_REFERENCES = 7;

export const xaiVideos: TaskOperation = {
  ...videoOrders({
    path: '/v1/videos/generations',
    video: (order) => videoIn(order, abilities),
    terms: ({ seconds, resolution }) => ({
      seconds: secondsWithin(seconds, [1, 15], 5),
      resolution: oneOf(resolution, ['480p', '720p', '1080p'], '480p', 'resolution'),
    }),
    request({ video, terms: { seconds, resolution }, model }) {
      const { kind, prompt, ratio, firstFrame, references = [], video: source } = video;
      if (resolution === '1080p' && (!/-1\.5\b/.test(model) || references.length > 0))
        throw new BadTaskRequest("'resolution' must be 480p or 720p for this request.", 'resolution');
      if (references.length > MOST_REFERENCES)
        throw new BadTaskRequest(`At most ${MOST_REFERENCES} reference images are possible.`, 'references');
      if ((kind === 'extend') !== (source !== undefined))
        throw new BadTaskRequest('A video is needed to be extended, and for nothing else.', 'video');
      return {
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
  }),
  platforms: ['video', 'kling'],
  serves: ({ model }) => /imagine-video/.test(model),
  ...taskStates({
    id: ({ request_id: id }) => idIn(id),
    at: (id) => `/v1/videos/${id}`,
    // 202: not finished, whatever the body says.
    byStatus: ({ status, json }) => (status === 202 ? progressIn(objectOr(json)['progress']) : undefined),
    word: 'status',
    statuses: {
      pending: 'QUEUED',
      queued: 'QUEUED',
      processing: 'IN_PROGRESS',
      done: 'SUCCESS',
      failed: 'FAILURE',
      expired: 'FAILURE',
    },
    shown: ['status', 'model', 'progress'],
    media({ video }) {
      const { url, duration: seconds } = objectOr(video);
      return [fileAt(url, 'video', { seconds })];
    },
    reason({ error }) {
      const { code, message } = objectOr(error);
      return [textOr(message, ''), textOr(code, '')].filter(Boolean).join(', ') || 'The request has expired.';
    },
    more: ({ status, progress, video }) => ({
      ...progressIn(progress),
      ...(status === 'done' && objectOr(video)['respect_moderation'] === false && moderated),
    }),
  }),
};

const moderated = { status: 'FAILURE', failReason: MODERATED, media: [], hasResult: false } as const;
