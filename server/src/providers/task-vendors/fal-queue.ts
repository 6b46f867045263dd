/** The queue of fal. Source: @fal-ai/client 1.10.1. */
import type { TaskStatus } from '@relay-hub/contract';
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import { noTokenUsage, type PolledTask, type TaskOperation, type TaskRequest } from '../task-operation.ts';
import { BadTaskRequest } from '../video-order.ts';
import { detailIn, filesAnywhere, openQuote, openVideo, segmentsOf } from './open-inputs.ts';
import { acceptedAs, addressOf } from './video-fields.ts';
import { failedReport, given, HOUR_S, idIn, reportAs, withMedia } from './video-rules.ts';

const vendor = 'fal';
export const falHost = 'https://queue.fal.run';

const statuses: Readonly<Record<string, TaskStatus>> = {
  IN_QUEUE: 'QUEUED',
  IN_PROGRESS: 'IN_PROGRESS',
  // Failed requests too; their result is an error.
  COMPLETED: 'SUCCESS',
};

const links = ['status_url', 'response_url', 'cancel_url'] as const;
type Link = (typeof links)[number];

export const falQueue: TaskOperation = {
  dialect: 'openai',
  path: '',
  serves: ({ model }) => segmentsOf(model) !== undefined,
  usage: noTokenUsage,
  platforms: ['video', 'kling'],
  deadlineS: HOUR_S,
  batch: 1,
  quote: (order, model) => openQuote(order, model, vendor),
  submit(order, { model }) {
    const { prompt, negativePrompt, seconds, resolution, ratio, firstFrame, seed, extra } = openVideo(order, vendor);
    const hook = order.notifyUrl === '' ? '' : `?${new URLSearchParams({ fal_webhook: order.notifyUrl }).toString()}`;
    return {
      method: 'POST',
      path: modelPath(model) + hook,
      body: given({
        ...extra,
        prompt,
        negative_prompt: negativePrompt,
        // Most models have a list of texts here; numbers are read from texts too.
        duration: seconds === undefined ? undefined : String(seconds),
        resolution,
        aspect_ratio: ratio,
        image_url: firstFrame && addressOf(firstFrame),
        seed,
      }),
    };
  },
  receipt({ json }, _, { baseUrl }) {
    if (!isObject(json)) return undefined;
    const paths = links.map((name) => [name, pathAt(json[name], baseUrl)] as const);
    return acceptedAs(
      idIn(json['request_id']),
      'SUBMITTED',
      Object.fromEntries(paths.filter(([, path]) => path !== undefined)),
    );
  },
  poll: ([task]) => linkOf(task, 'status_url'),
  reports({ status, json }, [task]) {
    if (!task || !isObject(json)) return undefined;
    if (status === 404) return [];
    if (status !== 200 && status !== 202) return undefined;
    return [{ ...reportAs(task.upstreamId, json['status'], statuses), data: { status: textOr(json['status'], '') } }];
  },
  result: {
    request: (task) => linkOf(task, 'response_url'),
    read({ status, json }, report) {
      if (status === 200) return withMedia(report, filesAnywhere(json));
      // Anything but the model's own error may pass.
      if (!isObject(json) || [401, 403, 404, 408, 429].includes(status)) return undefined;
      return failedReport(report.upstreamId, detailIn(json));
    },
  },
  cancel: {
    request: (task) => ({ ...linkOf(task, 'cancel_url'), method: 'PUT' }),
    isCancelled: ({ status, json }) => status === 202 && objectOr(json)['status'] !== 'ALREADY_COMPLETED',
  },
};

function modelPath(model: string): string {
  const segments = segmentsOf(model);
  if (!segments) throw new BadTaskRequest('The model must be named owner/name.', 'model');
  return `/${segments.map(encodeURIComponent).join('/')}`;
}

/** Path of an address at the vendor or at the channel's host; undefined for any other, which may belong to anyone. */
function pathAt(url: unknown, baseUrl: string): string | undefined {
  if (typeof url !== 'string' || !URL.canParse(url) || !URL.canParse(baseUrl)) return undefined;
  const { origin, pathname, search } = new URL(url);
  const base = new URL(baseUrl);
  if (origin !== falHost && origin !== base.origin) return undefined;
  const prefix = base.pathname.replace(/\/$/, '');
  const isBelow = origin === base.origin && pathname.startsWith(`${prefix}/`);
  return (isBelow ? pathname.slice(prefix.length) : pathname) + search;
}

const endings: Readonly<Record<Link, string>> = { status_url: '/status', response_url: '', cancel_url: '/cancel' };

/** The vendor's own path, below the channel's address: the key goes nowhere else. A model's path is cut to two names. */
function linkOf(task: PolledTask | undefined, link: Link): TaskRequest {
  const kept: Json = task?.vendor ?? {};
  const [owner = '', app = ''] = segmentsOf(task?.model ?? '') ?? [];
  const usual = `/${owner}/${app}/requests/${encodeURIComponent(task?.upstreamId ?? '')}${endings[link]}`;
  return { method: 'GET', path: textOr(kept[link], '') || usual };
}
