import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'custom',
  type: 8,
  title: 'OpenAI-compatible',
  embeddings: true,
});
