import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { thinkingSwitch } from '../reasoning-fields.ts';

/** The OpenAI-compatible interface. Keys of the cloud's own signature, a pair, are refused by it. */
export const provider = openAiCompatible({
  id: 'hunyuan',
  type: 40,
  title: 'Tencent Hunyuan',
  baseUrl: 'https://api.hunyuan.cloud.tencent.com',
  testModel: 'hunyuan-lite',
  website: 'https://cloud.tencent.com/product/hunyuan',
  has: ['embeddings'],
  fix: [oneSystemRole, oldLimit],
  wire: { reasoning: thinkingSwitch },
});
