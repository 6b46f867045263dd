import type { JsonObject } from './behaviour.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';
import type { ReceivedRequest } from './request-ring.ts';

/** How the next submission is answered, and what becomes of its video. */
export interface VideoBehaviour {
  /** `lost`: the video is accepted and the connection closed. */
  fault?: 'lost';
  /** The answer instead of an acceptance. */
  status?: number;
  answer?: JsonObject;
  /** Milliseconds until the answer. */
  delayMs?: number;
  /** Holds the answer back until this resolves. */
  until?: Promise<unknown>;
  /** Statuses, one per poll; the last one repeats. */
  steps?: readonly string[];
}

/** A submission as it was received: fields of its form or body, files by their type and size. */
export interface ReceivedVideo {
  id: string;
  path: string;
  fields: Record<string, string>;
  authorization: string;
}

interface SimulatedVideo extends ReceivedVideo {
  steps: readonly string[];
  polls: number;
}

/** The first bytes of an MP4 file. */
export const simulatedMp4 = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1');

/** A gateway with OpenAI's Videos API. */
export class VideoSimulator {
  readonly videos = new Map<string, SimulatedVideo>();
  readonly #queue: VideoBehaviour[] = [];

  /** Queues behaviours for the next submissions. */
  next(...behaviours: VideoBehaviour[]): void {
    this.#queue.push(...behaviours);
  }

  /** The latest submission. */
  get last(): ReceivedVideo | undefined {
    return [...this.videos.values()].at(-1);
  }

  /** `cut`: the connection is closed. */
  async answer(request: ReceivedRequest): Promise<SimulatedReply | 'cut'> {
    const path = request.path.replace(/\?.*/s, '');
    const { authorization = '' } = request.headers;
    if (authorization === '') return errorReply(401, 'invalid_api_key');
    if (request.method === 'POST') return this.#submit(request, path, authorization);
    const [, id = '', content] = /^\/v1\/videos\/([\w-]+)(\/content)?$/.exec(path) ?? [];
    const video = this.videos.get(id);
    if (!video) return errorReply(404, 'not_found');
    if (content !== undefined)
      return { ...jsonReply(200, {}), headers: { 'content-type': 'video/mp4' }, parts: [simulatedMp4] };
    video.polls++;
    return jsonReply(200, videoObject(video));
  }

  async #submit(request: ReceivedRequest, path: string, authorization: string): Promise<SimulatedReply | 'cut'> {
    const { fault, status = 200, answer, delayMs = 0, until, steps = usualSteps } = this.#queue.shift() ?? {};
    await until;
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
    if (answer || status !== 200)
      return jsonReply(status, answer ?? { error: { message: 'no', type: 'x', code: 'x' } });
    const id = `video_up_${this.videos.size + 1}`;
    const video = { id, path, fields: await fieldsOf(request), authorization, steps, polls: 0 };
    this.videos.set(id, video);
    return fault === 'lost' ? 'cut' : jsonReply(200, videoObject(video));
  }
}

const usualSteps = ['queued', 'in_progress', 'completed'];

async function fieldsOf({ raw, headers }: ReceivedRequest): Promise<Record<string, string>> {
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('multipart/')) return JSON.parse(raw.toString()) as Record<string, string>; // the server sends JSON
  const form = await new Response(new Uint8Array(raw), { headers: { 'content-type': type } }).formData();
  const fields = [...form].map(([name, value]) => [
    name,
    typeof value === 'string' ? value : `${value.type}:${value.size}`,
  ]);
  return Object.fromEntries(fields) as Record<string, string>; // pairs of texts
}

function videoObject({ id, fields, steps, polls }: SimulatedVideo): JsonObject {
  const status = polls === 0 ? 'queued' : (steps[Math.min(polls, steps.length) - 1] ?? 'queued');
  return {
    id,
    object: 'video',
    model: fields['model'],
    status,
    progress: status === 'completed' ? 100 : status === 'in_progress' ? 50 : 0,
    created_at: Math.floor(Date.now() / 1000),
    completed_at: status === 'completed' ? Math.floor(Date.now() / 1000) : null,
    seconds: fields['seconds'],
    size: fields['size'],
    error: status === 'failed' ? { code: 'moderation_blocked', message: 'blocked by moderation' } : null,
  };
}

const errorReply = (status: number, code: string): SimulatedReply =>
  jsonReply(status, { error: { message: 'The request failed.', type: 'invalid_request_error', code } });
