/** Predictions of Replicate. Source: replicate 1.4.0. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, objectOr } from '#json.ts';
import { noTokenUsage, type TaskOperation } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { detailIn, filesAnywhere, openQuote, openVideo, segmentsOf } from './open-inputs.ts';
import { acceptedAs, addressOf } from './video-fields.ts';
import { given, HOUR_S, idIn, reportAs, shown, withMedia } from './video-rules.ts';

const vendor = 'Replicate';

const statuses: Readonly<Record<string, TaskStatus>> = {
  starting: 'QUEUED',
  processing: 'IN_PROGRESS',
  succeeded: 'SUCCESS',
  failed: 'FAILURE',
  canceled: 'CANCEL',
  aborted: 'CANCEL',
};

export const replicatePredictions: TaskOperation = {
  dialect: 'openai',
  path: '/v1/predictions',
  serves: ({ model }) => targetOf(model) !== undefined,
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: HOUR_S,
  batch: 1,
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
  receipt: ({ json }) => (isObject(json) ? acceptedAs(idIn(json['id'])) : undefined),
  poll: ([task]) => ({ method: 'GET', path: predictionPath(task?.upstreamId ?? '') }),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200) return undefined;
    const report = {
      ...reportAs(task.upstreamId, json['status'], statuses),
      data: {
        ...shown(json, ['status', 'created_at', 'started_at', 'completed_at']),
        metrics: shown(json['metrics'], ['predict_time', 'video_output_duration_seconds', 'image_output_count']),
      },
    };
    if (report.status === 'FAILURE') return [{ ...report, failReason: detailIn(json) }];
    return [report.status === 'SUCCESS' ? withMedia(report, filesAnywhere(json['output'])) : report];
  },
  cancel: {
    request: ({ upstreamId }) => ({ method: 'POST', path: `${predictionPath(upstreamId)}/cancel`, body: {} }),
    isCancelled: ({ status, json }) =>
      status === 200 && ['canceled', 'aborted'].some((word) => word === objectOr(json)['status']),
  },
};

const predictionPath = (id: string): string => `/v1/predictions/${encodeURIComponent(id)}`;

/** Official models have separate paths; a version is named in the body. */
export function targetOf(model: string): { path: string; version?: string } | undefined {
  const [name = '', version, ...more] = model.split(':');
  const [owner = '', short = '', ...deeper] = segmentsOf(name) ?? [];
  if (owner === '' || deeper.length > 0 || more.length > 0) return undefined;
  if (version === undefined)
    return { path: `/v1/models/${encodeURIComponent(owner)}/${encodeURIComponent(short)}/predictions` };
  return /^[0-9a-f]{7,64}$/i.test(version) ? { path: '/v1/predictions', version: model } : undefined;
}
