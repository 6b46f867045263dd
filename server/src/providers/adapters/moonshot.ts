import { openAiCompatible } from '../open-ai-compatible.ts';

export const provider = openAiCompatible({
  id: 'moonshot',
  type: 29,
  title: 'Moonshot',
  baseUrl: 'https://api.moonshot.cn',
  testModel: 'moonshot-v1-8k',
  website: 'https://platform.moonshot.cn/console/info',
});
