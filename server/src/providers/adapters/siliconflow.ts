import { cohere } from '#usage/cohere.ts';
import { oldLimit, oneSystemRole, renamed } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { balanceAt, inDollarsAt } from '../questions.ts';
import { thinkingBudget } from '../reasoning-fields.ts';
import { errorsWith } from '../upstream-errors.ts';

export const provider = openAiCompatible({
  id: 'siliconflow',
  type: 45,
  title: 'SiliconFlow',
  baseUrl: 'https://api.siliconflow.cn',
  testModel: 'Qwen/Qwen3-8B',
  website: 'https://siliconflow.cn',
  promptCacheS: 3600,
  has: ['embeddings', 'speech', 'transcriptions', 'generations', 'rerank'],
  usages: { rerank: cohere },
  fix: [oneSystemRole, oldLimit],
  fixes: { generations: [renamed('size', 'image_size'), renamed('n', 'batch_size')] },
  testSpeech: (model) => ({ voice: `${model}:alex` }),
  wire: { reasoning: thinkingBudget },
  balance: inDollarsAt('siliconflow.com', balanceAt('/v1/user/info', 'CNY', 'data', 'totalBalance')),
  error: errorsWith({ 20012: 404, 20015: 400, 30001: 402, 50505: 503 }),
});
