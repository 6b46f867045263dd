/** Predictions of Replicate. Source: replicate 1.4.0. */
import { objectOr } from '#json.ts';
import type { TaskOperation } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { detailIn, filesAnywhere, openQuote, openVideo, segmentsOf } from './open-inputs.ts';
import { taskStates, videoDefaults } from './rest-video.ts';
import { addressOf, given, idIn, pick } from './video-fields.ts';

const vendor = 'Replicate';

export const replicatePredictions: TaskOperation = {
  ...videoDefaults,
  path: '/v1/predictions',
  serves: ({ model }) => targetOf(model) !== undefined,
  platforms: ['video', 'kling'],
  quote: (order, model) => openQuote(order, model, vendor),
  submit(order, { model }) {
    const { prompt, negativePrompt, seconds, resolution, ratio, firstFrame, seed, extra } = openVideo(order, vendor);
    const target = targetOf(model);
    if (!target) throw new BadTaskRequest('The model must be named owner/name or owner/name:version.', 'model');
    const input = given({
      ...extra,
      prompt,
      negative_prompt: negativePrompt,
      duration: seconds,
      resolution,
      aspect_ratio: ratio,
      image: firstFrame && addressOf(firstFrame),
      seed,
    });
    return {
      method: 'POST',
      path: target.path,
      body: {
        ...(target.version !== undefined && { version: target.version }),
        input,
        // Only addresses with TLS are accepted.
        ...(order.notifyUrl.startsWith('https://') && {
          webhook: order.notifyUrl,
          webhook_events_filter: ['completed'],
        }),
      },
    };
  },
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id) => `/v1/predictions/${id}`,
    word: 'status',
    statuses: {
      starting: 'QUEUED',
      processing: 'IN_PROGRESS',
      succeeded: 'SUCCESS',
      failed: 'FAILURE',
      canceled: 'CANCEL',
      aborted: 'CANCEL',
    },
    media: ({ output }) => filesAnywhere(output),
    reason: detailIn,
    more: (task) => ({
      data: {
        ...pick(task, ['status', 'created_at', 'started_at', 'completed_at']),
        metrics: pick(objectOr(task['metrics']), [
          'predict_time',
          'video_output_duration_seconds',
          'image_output_count',
        ]),
      },
    }),
  }),
  cancel: {
    request: ({ upstreamId }) => ({
      method: 'POST',
      path: `/v1/predictions/${encodeURIComponent(upstreamId)}/cancel`,
      body: {},
    }),
    isCancelled: ({ status, json }) =>
      status === 200 && ['canceled', 'aborted'].some((word) => word === objectOr(json)['status']),
  },
};

/** Official models have separate paths; a version is named in the body. */
export function targetOf(model: string): { path: string; version?: string } | undefined {
  const [name = '', version, ...more] = model.split(':');
  const [owner = '', short = '', ...deeper] = segmentsOf(name) ?? [];
  if (owner === '' || deeper.length > 0 || more.length > 0) return undefined;
  if (version === undefined)
    return { path: `/v1/models/${encodeURIComponent(owner)}/${encodeURIComponent(short)}/predictions` };
  return /^[0-9a-f]{7,64}$/i.test(version) ? { path: '/v1/predictions', version: model } : undefined;
}
