import { oldLimit, oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { errorsWith } from '../upstream-errors.ts';

/** https://docs.fireworks.ai/tools-sdks/openai-compatibility */
export const provider = openAiCompatible({
  id: 'fireworks',
  type: 108,
  title: 'Fireworks AI',
  baseUrl: 'https://api.fireworks.ai/inference',
  testModel: 'accounts/fireworks/models/gpt-oss-20b',
  website: 'https://app.fireworks.ai/account/billing',
  promptCacheS: 3600,
  has: ['completions', 'embeddings', 'responses', 'rerank'],
  fix: [oneSystemRole, oldLimit],
  wire: { reasoningAs: 'reasoning_content' },
  messages: 'https://api.fireworks.ai/inference/v1/messages',
  // A suspended account, usually one that has spent its limit.
  error: errorsWith({ PRECONDITION_FAILED: 402 }),
});
