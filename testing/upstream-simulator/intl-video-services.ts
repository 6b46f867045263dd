import type { JsonObject } from './behaviour.ts';
import { intlVendors, type SimulatedVideo, type IntlVideoStep } from './intl-video-vendors.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';

/** How the next submission is answered, and what becomes of its task. */
export interface IntlVideoBehaviour {
  /** The task is accepted and the connection closed. */
  fault?: 'lost';
  /** The answer instead of an acceptance, in the vendor's own form unless `answer` is given. */
  status?: number;
  message?: string;
  answer?: JsonObject;
  /** Reported steps, one per poll; the last one repeats. */
  steps?: readonly IntlVideoStep[];
}

const usualSteps: readonly IntlVideoStep[] = ['queued', 'running', 'done'];

/**
 * Video services of several vendors, each below a separate prefix: `/runway`, `/luma`, `/xai`, `/replicate`, `/fal`,
 * `/stability`, `/gemini-api`, `/vertex` and, with synchronous image tools, `/recraft`.
 */
export class IntlVideoSimulator {
  readonly videos = new Map<string, SimulatedVideo>();
  readonly #queue: IntlVideoBehaviour[] = [];
  #made = 0;

  /** Queues behaviours for the next submissions. */
  next(...behaviours: IntlVideoBehaviour[]): void {
    this.#queue.push(...behaviours);
  }

  /** The video that was ordered last. */
  get last(): SimulatedVideo | undefined {
    return [...this.videos.values()].at(-1);
  }

  owns(path: string): boolean {
    const [, prefix = ''] = /^\/([a-z-]+)\//.exec(path) ?? [];
    return Object.hasOwn(intlVendors, prefix);
  }

  /** `cut`: the connection is closed. */
  answer({ path, method, headers, body: text }: ReceivedRequest): SimulatedReply | 'cut' {
    const [, name = '', rest = ''] = /^\/([a-z-]+)(\/[^?]*)/.exec(path) ?? [];
    const vendor = intlVendors[name]!; // `owns` has found it
    const origin = `http://${headers.host ?? ''}`;
    const call = `${method} ${rest}`;
    if (call === 'POST /token') return jsonReply(200, { access_token: 'ya29.simulated', expires_in: 3599 });
    if (!vendor.isAuthorized(headers)) return jsonReply(401, vendor.refusal(401, 'The key is not valid.'));
    if (call.startsWith('GET /files/'))
      return { ...jsonReply(200, {}), headers: { 'content-type': 'video/mp4' }, parts: ['MP4'] };
    const body = parsed(text);
    if (vendor.submits.test(call)) return this.#submit(name, { path: rest, body, origin });
    const [, fromPath] = vendor.polls.exec(call) ?? [];
    const cancelled = vendor.cancels?.exec(call)?.[1];
    const named = body['operationName'];
    const id = typeof named === 'string' ? named : (cancelled ?? fromPath ?? vendor.resultOf?.exec(call)?.[1] ?? '');
    const video = this.videos.get(idIn(id));
    if (!video || video.vendor !== name) return jsonReply(404, vendor.refusal(404, 'There is no such task.'));
    if (cancelled !== undefined) {
      video.isCancelled = true;
      return vendor.cancelled?.(video) ?? jsonReply(200, {});
    }
    if (fromPath === undefined && vendor.result) return vendor.result(video, stepOf(video));
    video.polls++;
    return vendor.state(video, stepOf(video));
  }

  #submit(vendor: string, order: Pick<SimulatedVideo, 'path' | 'body' | 'origin'>): SimulatedReply | 'cut' {
    const { fault, status = 200, message = 'refused', answer, steps = usualSteps } = this.#queue.shift() ?? {};
    const described = intlVendors[vendor]!; // found before
    if (answer || status !== 200) return jsonReply(status, answer ?? described.refusal(status, message));
    const video = { ...order, id: `v${++this.#made}`, vendor, steps, polls: 0, isCancelled: false };
    this.videos.set(video.id, video);
    if (fault === 'lost') return 'cut';
    return described.accepted(video);
  }
}

const stepOf = ({ steps, polls, isCancelled }: SimulatedVideo): IntlVideoStep =>
  isCancelled ? 'cancelled' : (steps[Math.min(Math.max(0, polls - 1), steps.length - 1)] ?? 'queued');

/** The last part, of names that have several. */
const idIn = (name: string): string => name.split('/').at(-1) ?? '';

function parsed(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject; // requests of the server are objects
  } catch {
    // A form, or no body.
    return {};
  }
}
