import { jina } from '#usage/plain-counters.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'jina',
  type: 47,
  title: 'Jina',
  baseUrl: 'https://api.jina.ai',
  website: 'https://jina.ai',
  chat: false,
  has: ['rerank', 'embeddings'],
  usages: { embeddings: jina },
  models: false,
});
