import { isObject, objectOr, textOr } from '#json.ts';
import { openAiImages } from '#usage/open-ai-media.ts';
import { stabilityImages, stabilityPath } from '#providers/media/stability-images.ts';
import { taskStates, videoDefaults } from '#providers/task-vendors/rest-video.ts';
import {
  failedReport,
  fileOf,
  given,
  idIn,
  MODERATED,
  type VendorAbilities,
  videoIn,
  withMedia,
} from '#providers/task-vendors/video-fields.ts';
import type { Provider } from '../provider.ts';
import { amountAt } from '../questions.ts';
import { bearer } from '../target.ts';
import type { TaskOperation } from '../task-operation.ts';
import { errorsWith } from '../upstream-errors.ts';
import { BadTaskRequest } from '../video-order.ts';

const abilities: VendorAbilities = {
  vendor: 'Stability',
  takes: ['negativePrompt', 'firstFrame', 'seed'],
  extra: ['creativity', 'output_format', 'style_preset'],
};

/** Name under which the task is offered; the vendor's path names no model. */
const upscaleModel = 'stable-image-upscale-creative';

/** Creative upscales, the only task of the API. Source: the vendor's REST reference. */
export const stabilityUpscale: TaskOperation = {
  ...videoDefaults,
  path: '/stable-image/upscale/creative',
  serves: ({ model }) => model === upscaleModel,
  quote(order) {
    if (!videoIn(order, abilities).firstFrame) throw missingImage();
    return { prices: [] };
  },
  submit(order) {
    const { prompt, negativePrompt, firstFrame, seed, extra } = videoIn(order, abilities);
    if (!firstFrame) throw missingImage();
    if ('url' in firstFrame)
      throw new BadTaskRequest('The image is taken as bytes only, not by its address.', 'firstFrame');
    const form = new FormData();
    form.set('image', new Blob([Buffer.from(firstFrame.base64, 'base64')], { type: firstFrame.type }), 'image');
    for (const [name, value] of Object.entries(given({ ...extra, prompt, negative_prompt: negativePrompt, seed })))
      form.set(name, String(value));
    return { method: 'POST', path: '/stable-image/upscale/creative', form };
  },
  ...taskStates({
    id: ({ id }) => idIn(id),
    at: (id) => `/results/${id}`,
    word: 'status',
    statuses: {},
  }),
  reports({ status, json }, [task]) {
    if (!task) return undefined;
    const { upstreamId } = task;
    if (status === 202) return [{ upstreamId, status: 'IN_PROGRESS', hasResult: false }];
    if (!isObject(json)) return undefined;
    // Unknown, or older than a day.
    if (status === 404) return [];
    if (status === 403 && objectOr(json)['name'] === 'content_moderation') return [failedReport(upstreamId, MODERATED)];
    if (status !== 200) return undefined;
    const reason = textOr(json['finish_reason'], '');
    if (reason === 'CONTENT_FILTERED') return [failedReport(upstreamId, MODERATED)];
    const file = fileOf(json['result'] ?? json['image'], undefined, 'image');
    return [
      withMedia({ upstreamId, status: 'SUCCESS', hasResult: false, data: given({ finish_reason: reason }) }, [file]),
    ];
  },
};

const missingImage = () => new BadTaskRequest('The image to upscale is missing.', 'firstFrame');

/** Pictures at once, and creative upscales as tasks. https://platform.stability.ai/docs/api-reference */
export const provider: Provider = {
  id: 'stability',
  type: 37,
  title: 'Stability AI',
  baseUrl: 'https://api.stability.ai/v2beta',
  testModel: 'stable-image-core',
  website: 'https://platform.stability.ai/account/credits',
  headers: bearer,
  images: {
    generations: {
      dialect: 'own',
      path: '',
      target: ({ baseUrl, key, model }) => ({
        baseUrl,
        path: stabilityPath(model),
        headers: { ...bearer(key), accept: 'application/json' },
      }),
      usage: openAiImages,
      convert: stabilityImages,
    },
  },
  tasks: stabilityUpscale,
  balance: {
    path: '/v1/user/balance',
    // The balance has stayed in the first version.
    target: ({ baseUrl, key }) => ({
      baseUrl: baseUrl.replace(/\/v2beta\/?$/, ''),
      path: '/v1/user/balance',
      headers: bearer(key),
    }),
    read: (reply) => {
      const amount = amountAt(reply, 'credits');
      return amount === undefined ? undefined : { amount, currency: 'credits' };
    },
  },
  error: errorsWith({ payment_required: 402, unauthorized: 401 }),
};
