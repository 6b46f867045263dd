import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'zhinao',
  type: 19,
  title: '360 Zhinao',
  baseUrl: 'https://api.360.cn',
  testModel: '360gpt-turbo',
  website: 'https://ai.360.com/open',
  has: ['embeddings', 'generations'],
  fix: [oneSystemRole, oldLimit],
});
