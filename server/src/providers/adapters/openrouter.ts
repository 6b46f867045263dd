import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'openrouter',
  type: 20,
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  website: 'https://openrouter.ai/settings/credits',
});
