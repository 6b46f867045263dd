import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './behaviour.ts';
import { jsonReply, type SimulatedReply } from './reply.ts';

/** Reported step of a task; `odd`: a status word that no vendor has. */
export type IntlVideoStep = 'queued' | 'running' | 'done' | 'empty' | 'failed' | 'moderated' | 'cancelled' | 'odd';

export interface SimulatedVideo {
  id: string;
  vendor: string;
  path: string;
  body: JsonObject;
  steps: readonly IntlVideoStep[];
  polls: number;
  isCancelled: boolean;
  /** Address of this service, without the vendor's prefix. */
  origin: string;
}

/** The formats of a vendor. Patterns are of method and path; the first group is the task's id. */
export interface SimulatedVendor {
  isAuthorized(headers: IncomingHttpHeaders): boolean;
  submits: RegExp;
  accepted(video: SimulatedVideo): SimulatedReply;
  polls: RegExp;
  state(video: SimulatedVideo, step: IntlVideoStep): SimulatedReply;
  /** The request for the result, where it is another one. */
  resultOf?: RegExp;
  result?(video: SimulatedVideo, step: IntlVideoStep): SimulatedReply;
  cancels?: RegExp;
  cancelled?(video: SimulatedVideo): SimulatedReply;
  refusal(status: number, message: string): JsonObject;
}

const isBearer = ({ authorization }: IncomingHttpHeaders): boolean => /^Bearer .+/.test(authorization ?? '');
const fileOf = ({ origin, vendor, id }: SimulatedVideo): string => `${origin}/${vendor}/files/${id}.mp4`;
const isOver = (step: IntlVideoStep): boolean => step !== 'queued' && step !== 'running' && step !== 'odd';

/** Words of a vendor by step; a moderated task has failed, an empty one is done. */
type StatusNames = Partial<Record<IntlVideoStep, string>>;
const wordIn = (words: StatusNames, step: IntlVideoStep): string =>
  words[step] ?? (step === 'moderated' ? words.failed : step === 'empty' ? words.done : undefined) ?? 'PONDERING';

const googleWords: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'FAILED_PRECONDITION',
  404: 'NOT_FOUND',
  429: 'RESOURCE_EXHAUSTED',
};

const googleError = (code: number, message: string): JsonObject => ({
  error: { code, message, status: googleWords[code] ?? 'INTERNAL' },
});

function operation(name: string, step: IntlVideoStep, response: JsonObject): SimulatedReply {
  if (!isOver(step)) return jsonReply(200, { name, metadata: {} });
  if (step === 'failed') return jsonReply(200, { name, done: true, error: { code: 13, message: 'Internal error.' } });
  const filtered = { raiMediaFilteredCount: 1, raiMediaFilteredReasons: ['The prompt names a celebrity.'] };
  return jsonReply(200, {
    name,
    done: true,
    response: step === 'moderated' ? filtered : step === 'empty' ? {} : response,
  });
}

const vertexName = ({ path, id }: SimulatedVideo): string =>
  `${path.replace(/^\/v1\//, '').replace(/:\w+$/, '')}/operations/${id}`;
const geminiName = ({ path, id }: SimulatedVideo): string =>
  `${path.replace(/^\/v1beta\//, '').replace(/:\w+$/, '')}/operations/${id}`;
const isInteraction = ({ path }: SimulatedVideo): boolean => path.endsWith('/interactions');

const interactionWords: StatusNames = {
  queued: 'queued',
  running: 'in_progress',
  done: 'completed',
  failed: 'failed',
  cancelled: 'cancelled',
};
const runwayWords: StatusNames = {
  queued: 'THROTTLED',
  running: 'RUNNING',
  done: 'SUCCEEDED',
  failed: 'FAILED',
  cancelled: 'CANCELLED',
};
const lumaWords: StatusNames = { queued: 'queued', running: 'processing', done: 'completed', failed: 'failed' };
const dreamWords: StatusNames = { ...lumaWords, running: 'dreaming' };
const xaiWords: StatusNames = {
  queued: 'pending',
  running: 'pending',
  done: 'done',
  failed: 'failed',
  moderated: 'done',
};
const replicateWords: StatusNames = {
  queued: 'starting',
  running: 'processing',
  done: 'succeeded',
  failed: 'failed',
  cancelled: 'canceled',
};

export const intlVendors: Readonly<Record<string, SimulatedVendor>> = {
  vertex: {
    isAuthorized: isBearer,
    submits: /^POST \/v1\/projects\/.+:predictLongRunning$/,
    accepted: (video) => jsonReply(200, { name: vertexName(video) }),
    polls: /^POST \/v1\/projects\/.+(:fetchPredictOperation)$/,
    state: (video, step) =>
      operation(vertexName(video), step, {
        videos: [{ bytesBase64Encoded: Buffer.from('MP4').toString('base64'), mimeType: 'video/mp4' }],
      }),
    refusal: googleError,
  },
  'gemini-api': {
    isAuthorized: (headers) => headers['x-goog-api-key'] !== undefined,
    submits: /^POST \/v1beta\/(?:models\/.+:predictLongRunning|interactions)$/,
    accepted: (video) =>
      isInteraction(video)
        ? jsonReply(200, { id: video.id, object: 'interaction', status: 'queued' })
        : jsonReply(200, { name: geminiName(video) }),
    polls: /^GET \/v1beta\/(?:models\/.+\/operations|interactions)\/(.+)$/,
    state(video, step) {
      if (!isInteraction(video))
        return operation(geminiName(video), step, {
          generateVideoResponse: { generatedSamples: [{ video: { uri: fileOf(video) } }] },
        });
      return jsonReply(200, {
        id: video.id,
        status: wordIn(interactionWords, step),
        usage: { total_tokens: 46_000 },
        ...(step === 'done' && { output_video: { uri: fileOf(video), mime_type: 'video/mp4' } }),
        ...((step === 'failed' || step === 'moderated') && { error: { message: 'The video was blocked.' } }),
      });
    },
    cancels: /^POST \/v1beta\/interactions\/(.+)\/cancel$/,
    cancelled: ({ id }) => jsonReply(200, { id, status: 'cancelled' }),
    refusal: googleError,
  },
  runway: {
    isAuthorized: (headers) => isBearer(headers) && headers['x-runway-version'] === '2024-11-06',
    submits: /^POST \/v1\/(?:text|image)_to_video$/,
    accepted: ({ id }) => jsonReply(200, { id, estimatedCost: { credits: 60 } }),
    polls: /^GET \/v1\/tasks\/(.+)$/,
    state: (video, step) =>
      jsonReply(200, {
        id: video.id,
        status: wordIn(runwayWords, step),
        createdAt: '2026-11-24T12:00:00Z',
        ...(step === 'running' && { progress: 0.5 }),
        ...(step === 'done' && { output: [fileOf(video)], cost: { credits: 60 } }),
        ...(step === 'failed' && { failure: 'An unexpected error.', failureCode: 'INTERNAL.BAD_OUTPUT.CODE01' }),
        ...(step === 'moderated' && { failure: 'Blocked.', failureCode: 'SAFETY.INPUT.TEXT' }),
      }),
    cancels: /^DELETE \/v1\/tasks\/(.+)$/,
    cancelled: () => ({ ...jsonReply(204, {}), parts: [] }),
    refusal: (_, error) => ({ error }),
  },
  luma: {
    isAuthorized: isBearer,
    submits: /^POST \/(?:v1\/generations|dream-machine\/v1\/generations\/video)$/,
    accepted: ({ id }) => jsonReply(201, { id, state: 'queued' }),
    polls: /^GET \/(?:v1|dream-machine\/v1)\/generations\/(.+)$/,
    state(video, step) {
      const isOld = video.path.startsWith('/dream-machine');
      return jsonReply(200, {
        id: video.id,
        state: wordIn(isOld ? dreamWords : lumaWords, step),
        ...(step === 'done' &&
          (isOld ? { assets: { video: fileOf(video) } } : { output: [{ type: 'video', url: fileOf(video) }] })),
        ...(step === 'failed' && { failure_reason: 'It broke.', failure_code: 'generation_failed' }),
        ...(step === 'moderated' && { failure_reason: 'Not allowed.', failure_code: 'content_moderated' }),
      });
    },
    refusal: (_, detail) => ({ detail }),
  },
  xai: {
    isAuthorized: isBearer,
    submits: /^POST \/v1\/videos\/(?:generations|extensions)$/,
    accepted: ({ id }) => jsonReply(200, { request_id: id }),
    polls: /^GET \/v1\/videos\/(.+)$/,
    state: (video, step) =>
      jsonReply(isOver(step) || step === 'odd' ? 200 : 202, {
        status: wordIn(xaiWords, step),
        progress: step === 'running' ? 50 : 0,
        ...((step === 'done' || step === 'moderated') && {
          video: { url: step === 'done' ? fileOf(video) : '', duration: 5, respect_moderation: step === 'done' },
          usage: { cost_in_usd_ticks: 2_500_000_000 },
        }),
        ...(step === 'failed' && { error: { code: 'internal', message: 'It broke.' } }),
      }),
    refusal: (code, error) => ({ code: String(code), error }),
  },
  replicate: {
    isAuthorized: isBearer,
    submits: /^POST \/v1\/(?:models\/[\w.-]+\/[\w.-]+\/)?predictions$/,
    accepted: ({ id }) => jsonReply(201, { id, status: 'starting' }),
    polls: /^GET \/v1\/predictions\/([^/]+)$/,
    state: (video, step) =>
      jsonReply(200, {
        id: video.id,
        status: wordIn(replicateWords, step),
        input: video.body['input'],
        logs: 'a worker of the account',
        ...(step === 'done' && { output: [fileOf(video)], metrics: { predict_time: 12.5 } }),
        ...((step === 'failed' || step === 'moderated') && { error: 'The input was flagged as sensitive. (E005)' }),
      }),
    cancels: /^POST \/v1\/predictions\/(.+)\/cancel$/,
    cancelled: ({ id }) => jsonReply(200, { id, status: 'canceled' }),
    refusal: (status, detail) => ({ title: 'Refused', detail, status }),
  },
  fal: {
    isAuthorized: ({ authorization }) => /^Key .+/.test(authorization ?? ''),
    submits: /^POST \/[\w-]+\/.+$/,
    accepted({ origin, path, id }) {
      const [, owner = '', app = ''] = path.split('/');
      const request = `${origin}/fal/${owner}/${app}/requests/${id}`;
      return jsonReply(200, {
        request_id: id,
        status_url: `${request}/status`,
        response_url: request,
        cancel_url: `${request}/cancel`,
      });
    },
    polls: /^GET \/.+\/requests\/([^/]+)\/status$/,
    state: (_, step) =>
      jsonReply(isOver(step) || step === 'odd' ? 200 : 202, {
        status: wordIn({ queued: 'IN_QUEUE', running: 'IN_PROGRESS', done: 'COMPLETED', failed: 'COMPLETED' }, step),
      }),
    resultOf: /^GET \/.+\/requests\/([^/]+)$/,
    result: (video, step) =>
      step === 'done'
        ? jsonReply(200, { video: { url: fileOf(video), content_type: 'video/mp4' }, seed: 7 })
        : step === 'empty'
          ? jsonReply(200, {})
          : jsonReply(422, { detail: [{ loc: ['body', 'prompt'], msg: 'The content was flagged.', type: 'policy' }] }),
    cancels: /^PUT \/.+\/requests\/([^/]+)\/cancel$/,
    cancelled: () => jsonReply(202, { status: 'CANCELLATION_REQUESTED' }),
    refusal: (_, detail) => ({ detail }),
  },
  stability: {
    isAuthorized: isBearer,
    submits: /^POST \/stable-image\/upscale\/creative$/,
    accepted: ({ id }) => jsonReply(200, { id }),
    polls: /^GET \/results\/(.+)$/,
    state: (_, step) =>
      isOver(step)
        ? jsonReply(200, {
            result: step === 'done' ? Buffer.from('PNG').toString('base64') : '',
            finish_reason: step === 'moderated' || step === 'failed' ? 'CONTENT_FILTERED' : 'SUCCESS',
          })
        : jsonReply(202, { status: 'in-progress' }),
    refusal: (_, message) => ({ id: 'e1', name: 'bad_request', errors: [message] }),
  },
  recraft: {
    isAuthorized: isBearer,
    submits: /^POST \/v1\/(?:images\/\w+|styles)$/,
    accepted({ path, id, origin, body: { n = 1 } }) {
      const image = { image_id: id, url: `${origin}/recraft/files/${id}.png` };
      if (path === '/v1/styles') return jsonReply(200, { id, credits: 40 });
      const isProcess = /Upscale|vectorize|removeBackground|eraseRegion/.test(path);
      return jsonReply(200, {
        created: 1,
        credits: 40 * Number(n),
        ...(isProcess ? { image } : { data: Array.from({ length: Number(n) }, () => image) }),
      });
    },
    polls: /^(?!)/,
    state: () => jsonReply(404, {}),
    refusal: (status, message) => ({ code: status === 429 ? 'rate_limit' : 'invalid_request_parameter', message }),
  },
};
