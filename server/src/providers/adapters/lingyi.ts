import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'lingyi',
  type: 33,
  title: '01.AI',
  baseUrl: 'https://api.lingyiwanwu.com',
  testModel: 'yi-lightning',
  website: 'https://platform.lingyiwanwu.com/details',
  fix: [oneSystemRole, oldLimit],
});
