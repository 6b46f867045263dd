import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { thinkingSwitch } from '../reasoning-fields.ts';

/** The OpenAI-compatible API, which refuses the key pairs of the cloud's signature. */
export const provider = openAiCompatible({
  id: 'hunyuan',
  type: 40,
  title: 'Tencent Hunyuan',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com',
  testModel: 'hunyuan-lite',
  website: 'https://cloud.tencent.com/product/hunyuan',
  promptCacheS: 3600,
  has: ['embeddings'],
  fix: [oneSystemRole, oldLimit],
  wire: { reasoning: thinkingSwitch },
});
