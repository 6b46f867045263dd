import { openAiImages } from '#usage/open-ai-media.ts';
import { replicate as usage } from '#usage/plain-counters.ts';
import { replicateImages } from '#providers/media/replicate-images.ts';
import { replicatePredictions, targetOf } from '#providers/task-vendors/replicate-predictions.ts';
import { replicateJob, replicateWire } from '#providers/wires/replicate/replicate-wire.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';

/** Models of many makers, named `owner/name` or `owner/name:version`: chats and pictures at once, videos as tasks. */
export const provider: Provider = {
  id: 'replicate',
  type: 52,
  title: 'Replicate',
  baseUrl: 'https://api.replicate.com',
  testModel: 'black-forest-labs/flux-schnell',
  website: 'https://replicate.com/account/billing',
  headers: bearer,
  chat: {
    dialect: 'own',
    path: '',
    serves: ({ model }) => targetOf(model) !== undefined,
    // Short answers come with the first reply. A longer wait would delay cancelling: until then the id is not known.
    target: ({ baseUrl, key, model, stream }) => ({
      baseUrl,
      path: targetOf(model)?.path ?? '/v1/predictions',
      headers: { ...bearer(key), ...(!stream && { prefer: 'wait=5' }) },
    }),
    usage,
    wire: replicateWire,
    job: replicateJob,
  },
  images: {
    generations: {
      dialect: 'own',
      path: '',
      serves: ({ model }) => targetOf(model) !== undefined,
      // The vendor answers when the prediction is done, and after a minute with what there is.
      target: ({ baseUrl, key, model }) => ({
        baseUrl,
        path: targetOf(model)?.path ?? '/v1/predictions',
        headers: { ...bearer(key), prefer: 'wait=60' },
      }),
      usage: openAiImages,
      convert: replicateImages,
    },
  },
  tasks: replicatePredictions,
};
