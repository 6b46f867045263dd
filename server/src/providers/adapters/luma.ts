/**
 * Both APIs of Luma: Agents for ray-3 and later, Dream Machine for ray-2, declared legacy. Sources: the vendor's error page
 * and third parties; lumaai 1.19.1.
 */
import { type Json, listOr, objectOr, textOr } from '#json.ts';
import type { ProviderCall } from '../operation.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import type { TaskOperation } from '../task-operation.ts';
import { taskStates, videoOrders } from '#providers/task-vendors/rest-video.ts';
import {
  fileAt,
  given,
  idIn,
  MODERATED,
  oneOf,
  type VendorAbilities,
  videoIn,
} from '#providers/task-vendors/video-fields.ts';
import { errorsWith } from '../upstream-errors.ts';
import { BadTaskRequest, type MediaInput } from '../video-order.ts';

const lumaHost = 'https://agents.lumalabs.ai';
const oldHost = 'https://api.lumalabs.ai';

const isDreamMachine = (model: string): boolean => /^ray-(?:flash-)?2\b/.test(model);

/** The older API has a separate host; a channel with another address has both APIs there. */
const hostOf = ({ baseUrl }: Pick<ProviderCall, 'baseUrl'>): string => (baseUrl === lumaHost ? oldHost : baseUrl);

const abilities: VendorAbilities = {
  vendor: 'Luma',
  takes: ['seconds', 'resolution', 'ratio', 'firstFrame', 'lastFrame'],
  extra: ['loop'],
};

export const lumaAgents: TaskOperation = {
  ...videoOrders({
    path: '/v1/generations',
    video: (order) => videoIn(order, abilities),
    terms: ({ seconds, resolution }) => ({
      seconds: oneOf(seconds, [5, 10], 5, 'seconds'),
      resolution: oneOf(resolution, ['360p', '540p', '720p', '1080p'], '720p', 'resolution'),
    }),
    request: ({ video: { prompt, ratio, firstFrame, lastFrame, extra }, terms: { seconds, resolution }, model }) => ({
      body: given({
        model,
        type: 'video',
        prompt,
        aspect_ratio: ratio,
        video: given({
          ...extra,
          resolution,
          duration: `${seconds}s`,
          start_frame: firstFrame && agentFrame(firstFrame),
          end_frame: lastFrame && agentFrame(lastFrame),
        }),
      }),
    }),
  }),
  serves: ({ model }) => !isDreamMachine(model),
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id) => `/v1/generations/${id}`,
    word: 'state',
    statuses: { queued: 'QUEUED', processing: 'IN_PROGRESS', completed: 'SUCCESS', failed: 'FAILURE' },
    shown: ['state', 'model', 'created_at', 'failure_code'],
    media: ({ output }) =>
      listOr(output)
        .map(objectOr)
        .map(({ url, type }) => fileAt(url, type === 'image' ? 'image' : 'video')),
    reason: ({ failure_reason: reason, failure_code: code }) =>
      [code === 'content_moderated' ? MODERATED : '', textOr(reason, '') || textOr(code, '')].filter(Boolean).join(' '),
  }),
};

const agentFrame = (input: MediaInput): Json =>
  'url' in input ? { url: input.url } : { data: input.base64, media_type: input.type };

const root = '/dream-machine/v1/generations';

export const lumaDreamMachine: TaskOperation = {
  ...videoOrders({
    path: `${root}/video`,
    video: (order) => videoIn(order, abilities),
    terms: ({ seconds, resolution }) => ({
      seconds: oneOf(seconds, [5, 9], 5, 'seconds'),
      resolution: oneOf(resolution, ['540p', '720p', '1080p', '4k'], '720p', 'resolution'),
    }),
    request({ video, terms: { seconds, resolution }, order, call }) {
      const { prompt, ratio, firstFrame, lastFrame, extra } = video;
      const keyframes = given({
        frame0: firstFrame && frameOf(firstFrame, 'firstFrame'),
        frame1: lastFrame && frameOf(lastFrame, 'lastFrame'),
      });
      return {
        baseUrl: hostOf(call),
        body: given({
          ...extra,
          model: call.model,
          prompt,
          aspect_ratio: ratio,
          duration: `${seconds}s`,
          resolution,
          keyframes: Object.keys(keyframes).length > 0 ? keyframes : undefined,
          callback_url: order.notifyUrl,
        }),
      };
    },
  }),
  serves: ({ model }) => isDreamMachine(model),
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id, call) => ({ method: 'GET', baseUrl: hostOf(call), path: `${root}/${id}` }),
    word: 'state',
    statuses: { queued: 'QUEUED', dreaming: 'IN_PROGRESS', completed: 'SUCCESS', failed: 'FAILURE' },
    shown: ['state', 'model', 'created_at'],
    media({ assets }) {
      const { video, image } = objectOr(assets);
      return [fileAt(video, 'video', { cover: image })];
    },
    reason: ({ failure_reason: reason }) => textOr(reason, ''),
  }),
};

function frameOf(input: MediaInput, param: string): Json {
  if ('url' in input) return { type: 'image', url: input.url };
  throw new BadTaskRequest('This model takes images by their address only.', param);
}

/** ray-2 uses the older API, which has a separate host. */
export const provider: Provider = {
  id: 'luma',
  type: 102,
  title: 'Luma',
  baseUrl: lumaHost,
  testModel: '',
  website: 'https://lumalabs.ai/api/keys',
  headers: bearer,
  tasks: { ...lumaAgents, also: [lumaDreamMachine] },
  error: errorsWith({ budget_exhausted: 402 }),
};
