/**
 * The Videos API of OpenAI. OpenAI's own service ended on 2026-09-24; other gateways still serve it. Source: the
 * `openai` client, 7.55.
 */
import { Buffer } from 'node:buffer';
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import { bearer } from '../target.ts';
import {
  noTokenUsage,
  type PolledTask,
  type QuotedOrder,
  type TaskOperation,
  type TaskReceipt,
  type TaskReport,
  type TaskRequest,
} from '../task-operation.ts';
import { BadTaskRequest, type MediaInput, type VideoOrder } from '../video-order.ts';
import { videoQuote } from '../video-prices.ts';

/** Defaults of the API. */
const SECONDS = 4;
const SIZE = { width: 720, height: 1280 };

/** Parameters that change neither the price nor an address; gateways of this family read them from `metadata`. */
const passedOn = new Set(['cfg_scale', 'camera_control', 'enhance_prompt', 'prompt_optimizer', 'style', 'watermark']);

export const openAiVideos: TaskOperation = {
  dialect: 'openai',
  path: '/v1/videos',
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: 3600,
  batch: 1,
  quote(order, billedModel) {
    const video = checked(order);
    const { width, height } = sizeOf(video);
    return videoQuote(billedModel, {
      seconds: video.seconds ?? SECONDS,
      resolution: `${Math.min(width, height)}p`,
      quality: video.quality,
    });
  },
  submit(order, { model }) {
    const video = checked(order);
    const { prompt } = video;
    // Another gateway of this kind starts nothing twice.
    const headers = { 'idempotency-key': order.ownId };
    if (video.kind === 'remix')
      return { method: 'POST', path: `${pathOf(order.parentId)}/remix`, headers, body: { prompt } };
    const form = new FormData();
    form.set('prompt', prompt);
    if (video.kind === 'generate') {
      form.set('model', model);
      const { width, height } = sizeOf(video);
      form.set('size', `${width}x${height}`);
      if (video.firstFrame) setMedia(form, 'input_reference', video.firstFrame);
    } else form.set('video[id]', order.parentId);
    if (video.kind !== 'edit') form.set('seconds', String(video.seconds ?? SECONDS));
    const metadata = metadataOf(video);
    if (Object.keys(metadata).length > 0) form.set('metadata', JSON.stringify(metadata));
    return { method: 'POST', path: `/v1/videos${formPaths[video.kind]}`, headers, form } satisfies TaskRequest;
  },
  receipt({ json }, _, call): TaskReceipt | undefined {
    if (!isObject(json)) return undefined;
    // Older gateways answer with `task_id` only.
    const upstreamId = textOr(json['id'], '') || textOr(json['task_id'], '');
    const facts = { code: 0, description: '', properties: {} };
    if (json['status'] === 'failed') return { ...facts, kind: 'refused', description: reasonIn(json), isBusy: false };
    if (upstreamId === '') return undefined;
    return { ...facts, kind: 'accepted', upstreamId, status: 'SUBMITTED', vendor: { base: call.baseUrl } };
  },
  poll: ([task]) => ({ method: 'GET', path: pathOf(task?.upstreamId ?? '') }),
  reports({ status, json }, tasks) {
    if (status === 404) return [];
    const [task] = tasks;
    return status === 200 && isObject(json) && task ? [reportOf(json, task)] : undefined;
  },
  // The key never leaves the address that it was entered for.
  mediaHeaders: (url, { baseUrl, key }: ProviderCall) => (url.startsWith(`${baseUrl}/v1/`) ? bearer(key) : undefined),
};

const formPaths = { generate: '', edit: '/edits', extend: '/extensions' } as const;

const pathOf = (id: string): string => `/v1/videos/${encodeURIComponent(id)}`;

/** The order, if this API can say it. Throws `BadTaskRequest`. */
function checked({ video }: QuotedOrder): VideoOrder {
  if (!video) throw new BadTaskRequest('This vendor makes videos only.', 'model');
  if (video.lastFrame) throw new BadTaskRequest('This vendor takes no last frame.', 'last_frame');
  if (video.references?.length) throw new BadTaskRequest('This vendor takes one picture only.', 'images');
  if (video.video) throw new BadTaskRequest('This vendor changes its own earlier videos only.', 'video');
  if (video.audio !== undefined) throw new BadTaskRequest('This vendor does not let callers choose sound.', 'audio');
  const { seconds } = video;
  if (seconds !== undefined && !Number.isInteger(seconds))
    throw new BadTaskRequest('The length must be whole seconds.', 'seconds');
  const unknown = Object.keys(video.extra ?? {}).find((name) => !passedOn.has(name));
  if (unknown !== undefined) throw new BadTaskRequest(`This vendor has no parameter '${unknown}'.`, unknown);
  return video;
}

function sizeOf({ size, resolution, ratio }: VideoOrder): { width: number; height: number } {
  if (size) return size;
  if (resolution === undefined && ratio === undefined) return SIZE;
  const short = resolution === undefined ? 720 : resolution === '4k' ? 2160 : Number.parseInt(resolution, 10);
  const [across = 9, down = 16] = (ratio ?? '9:16').split(':').map(Number);
  if (!(short > 0 && across > 0 && down > 0)) throw new BadTaskRequest('The size is not valid.', 'size');
  const long = 2 * Math.round((short * Math.max(across, down)) / Math.min(across, down) / 2);
  return across > down ? { width: long, height: short } : { width: short, height: long };
}

function metadataOf({ negativePrompt, seed, quality, extra }: VideoOrder): Json {
  return {
    ...extra,
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(seed !== undefined && { seed }),
    ...(quality !== undefined && { mode: quality }),
  };
}

function setMedia(form: FormData, name: string, media: MediaInput): void {
  if ('url' in media) return form.set(`${name}[image_url]`, media.url);
  const file = new Blob([Buffer.from(media.base64, 'base64')], { type: media.type });
  form.set(name, file, `reference.${media.type.split('/')[1] ?? 'bin'}`);
}

/** The year 5138: a later number is no time. */
const LATEST_S = 1e11;

const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

function reportOf(video: Json, { upstreamId, vendor }: PolledTask): TaskReport {
  const word = textOr(video['status'], '');
  const status = Object.hasOwn(statuses, word) ? statuses[word] : undefined;
  const report: TaskReport = { upstreamId, status: status ?? 'IN_PROGRESS', hasResult: status === 'SUCCESS' };
  if (status === undefined && word !== '') report.unknownWord = word;
  const progress = Number(video['progress']);
  if (Number.isFinite(progress)) report.progress = Math.min(100, Math.max(0, Math.trunc(progress)));
  if (status === 'FAILURE') report.failReason = reasonIn(video);
  const finished = Number(video['completed_at']);
  if (status === 'SUCCESS' && finished > 0 && finished < LATEST_S) report.finishMs = Math.trunc(finished) * 1000;
  const seconds = Number(video['seconds']);
  if (status === 'SUCCESS')
    report.media = [
      {
        kind: 'video',
        url: `${textOr(vendor['base'], '')}${pathOf(upstreamId)}/content`,
        type: 'video/mp4',
        ...(seconds > 0 && seconds < 100_000 && { seconds }),
      },
    ];
  return report;
}

const reasonIn = (video: Json): string => textOr(objectOr(video['error'])['message'], '');
