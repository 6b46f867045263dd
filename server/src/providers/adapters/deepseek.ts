import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'deepseek',
  type: 28,
  title: 'DeepSeek',
  baseUrl: 'https://api.deepseek.com',
  testModel: 'deepseek-chat',
  website: 'https://platform.deepseek.com/usage',
});
