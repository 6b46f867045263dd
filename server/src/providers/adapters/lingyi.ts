import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'lingyi',
  type: 33,
  title: '01.AI',
  baseUrl: 'https://api.lingyiwanwu.com',
  website: 'https://platform.lingyiwanwu.com/details',
});
