import { openAiImages } from '#usage/open-ai-media.ts';
import { stabilityImages, stabilityPath } from '#providers/media/stability-images.ts';
import { stabilityUpscale } from '#providers/task-vendors/stability-upscale.ts';
import type { Provider } from '../provider.ts';
import { amountAt } from '../questions.ts';
import { bearer } from '../target.ts';
import { errorsWith } from '../upstream-errors.ts';

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
