import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'baichuan',
  type: 26,
  title: 'Baichuan',
  baseUrl: 'https://api.baichuan-ai.com',
  testModel: 'Baichuan2-Turbo',
  website: 'https://platform.baichuan-ai.com/console/apikey',
  has: ['embeddings'],
  fix: [oneSystemRole, oldLimit],
});
