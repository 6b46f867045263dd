import { isObject, listOr, objectOr, textOr } from '#json.ts';
import { cohere as usage } from '#usage/cohere.ts';
import { cohereEmbeddings, cohereRerank } from '#providers/media/cohere-media.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { cohereWire } from '#providers/wires/cohere/cohere-wire.ts';

export const provider: Provider = {
  id: 'cohere',
  type: 36,
  title: 'Cohere',
  baseUrl: 'https://api.cohere.com',
  testModel: 'command-r7b-12-2024',
  website: 'https://dashboard.cohere.com/billing',
  promptCacheS: 1800,
  headers: bearer,
  chat: { dialect: 'own', path: '/v2/chat', usage, wire: cohereWire },
  embeddings: { dialect: 'own', path: '/v2/embed', usage, convert: cohereEmbeddings },
  rerank: { dialect: 'own', path: '/v2/rerank', usage, convert: cohereRerank },
  models: {
    path: '/v1/models?page_size=1000',
    read: readModels,
    next: (reply) => {
      const token = textOr(objectOr(reply)['next_page_token'], '');
      return token === '' ? undefined : `/v1/models?page_size=1000&page_token=${encodeURIComponent(token)}`;
    },
  },
};

const usable = new Set(['chat', 'rerank', 'embed']);

function readModels(reply: unknown): string[] | undefined {
  const models = isObject(reply) ? reply['models'] : undefined;
  if (!Array.isArray(models)) return undefined;
  return models
    .map(objectOr)
    .filter(({ endpoints }) => listOr(endpoints).some((one) => usable.has(String(one))))
    .flatMap(({ name }) => (typeof name === 'string' ? [name] : []));
}
