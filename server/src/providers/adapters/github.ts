import { oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { namesInList } from '../questions.ts';
import { bearer } from '../target.ts';

export const provider = openAiCompatible({
  id: 'github',
  type: 49,
  title: 'GitHub Models',
  baseUrl: 'https://models.github.ai',
  testModel: 'openai/gpt-4o-mini',
  website: 'https://github.com/marketplace/models',
  promptCacheS: 1800,
  prefix: '/inference',
  has: ['embeddings'],
  fix: [oneSystemRole],
  target: ({ baseUrl, key }, path) => {
    // The former host, and organizations' base URLs, have no prefix before the path.
    const whole = baseUrl === provider.baseUrl;
    return { baseUrl, path: whole ? path : path.replace('/inference', ''), headers: bearer(key) };
  },
  models: { path: '/catalog/models', read: (reply) => namesInList(reply, 'id') ?? namesInList(reply, 'name') },
});
