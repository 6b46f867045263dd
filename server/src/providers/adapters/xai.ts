import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'xai',
  type: 56,
  title: 'xAI',
  baseUrl: 'https://api.x.ai',
  website: 'https://console.x.ai',
});
