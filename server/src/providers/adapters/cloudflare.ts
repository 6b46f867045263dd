import { oldLimit, oneSystemRole } from '../fixes.ts';
import { keyOf } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { namesIn } from '../questions.ts';
import { bearer, keyParts } from '../target.ts';
import type { Conversion, Operation, ProviderCall, CallTarget } from '../operation.ts';
import { cloudflareImages, cloudflareSpeech, cloudflareTranscription } from '#providers/media/cloudflare-media.ts';
import { openAiImages } from '#usage/open-ai-media.ts';
import type { UsageFormat } from '#usage/usage-format.ts';
import type { Provider } from '../provider.ts';

const target = ({ baseUrl, key }: ProviderCall, path: string): CallTarget => {
  const { account } = keyParts(key, 'account', 'token');
  return { baseUrl, path: `/accounts/${account}/ai${path}`, headers: provider.headers(key) };
};

const compatible = openAiCompatible({
  id: 'cloudflare',
  type: 35,
  title: 'Cloudflare Workers AI',
  baseUrl: 'https://api.cloudflare.com/client/v4',
  testModel: '@cf/meta/llama-3.1-8b-instruct-fast',
  website: 'https://ai.cloudflare.com',
  form: { key: keyOf(['account', 'token']) },
  headers: (key) => bearer(keyParts(key, 'account', 'token').token),
  has: ['embeddings', 'responses'],
  fix: [oneSystemRole, oldLimit],
  target,
  models: {
    path: '',
    target: (call) => target(call, '/models/search?per_page=1000&hide_experimental=false'),
    read: (reply) => namesIn(reply, 'result', 'name'),
  },
});

/** The models' own API, for those that have no OpenAI-compatible one. */
const run = (convert: Conversion, usage: UsageFormat): Operation => ({
  dialect: 'own',
  path: '',
  target: (call) => target(call, `/run/${call.model}`),
  usage,
  convert,
});

export const provider: Provider = {
  ...compatible,
  images: { generations: run(cloudflareImages, openAiImages) },
  transcriptions: run(cloudflareSpeech('transcribe'), cloudflareTranscription),
  translations: run(cloudflareSpeech('translate'), cloudflareTranscription),
};
