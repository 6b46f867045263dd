import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'siliconflow',
  type: 45,
  title: 'SiliconFlow',
  baseUrl: 'https://api.siliconflow.cn',
  website: 'https://siliconflow.cn',
  embeddings: true,
});
