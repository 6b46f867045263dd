import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'mistral',
  type: 30,
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai',
  testModel: 'mistral-small-latest',
  website: 'https://console.mistral.ai',
  embeddings: true,
});
