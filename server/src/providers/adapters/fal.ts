/** The queue of fal. Source: @fal-ai/client 1.10.1. */
import { isObject, type Json, objectOr, textOr } from '#json.ts';
import type { Provider } from '../provider.ts';
import type { PolledTask, TaskOperation, TaskRequest } from '../task-operation.ts';
import { detailIn, filesAnywhere, openQuote, openVideo, segmentsOf } from '#providers/task-vendors/open-inputs.ts';
import { taskStates, videoDefaults } from '#providers/task-vendors/rest-video.ts';
import { acceptedAs, addressOf, failedReport, given, idIn, withMedia } from '#providers/task-vendors/video-fields.ts';
import { BadTaskRequest } from '../video-order.ts';

const vendor = 'fal';
const falHost = 'https://queue.fal.run';

const links = ['status_url', 'response_url', 'cancel_url'] as const;
type Link = (typeof links)[number];

export const falQueue: TaskOperation = {
  ...videoDefaults,
  path: '',
  serves: ({ model }) => segmentsOf(model) !== undefined,
  platforms: ['video', 'kling'],
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
  ...taskStates({
    id: ({ request_id: id }) => idIn(id),
    at: (_, __, task) => linkOf(task, 'status_url'),
    word: 'status',
    statuses: {
      IN_QUEUE: 'QUEUED',
      IN_PROGRESS: 'IN_PROGRESS',
      // Failed requests too; their result is an error.
      COMPLETED: 'SUCCESS',
    },
    shown: ['status'],
  }),
  receipt({ json }, _, { baseUrl }) {
    if (!isObject(json)) return undefined;
    const paths = links.map((name) => [name, pathAt(json[name], baseUrl)] as const);
    return acceptedAs(
      idIn(json['request_id']),
      'SUBMITTED',
      Object.fromEntries(paths.filter(([, path]) => path !== undefined)),
    );
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

/** Models of many makers, named by their paths, such as `fal-ai/kling-video/v2/master/text-to-video`. */
export const provider: Provider = {
  id: 'fal',
  type: 104,
  title: 'fal',
  baseUrl: falHost,
  testModel: '',
  website: 'https://fal.ai/dashboard/keys',
  headers: (key) => ({ authorization: `Key ${key}` }),
  tasks: falQueue,
};
