import { arkTasks } from '#providers/task-vendors/ark-video.ts';
import { oneSystemRole, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { thinkingType } from '../reasoning-fields.ts';
import { errorsWith } from '../upstream-errors.ts';

/**
 * Doubao, Seedream and Seedance; `ep-…` endpoints are models too. BytePlus has the same API at
 * `https://ark.ap-southeast.bytepluses.com/api/v3`. https://www.volcengine.com/docs/82379/1494384
 */
export const provider = openAiCompatible({
  id: 'volcengine',
  type: 105,
  title: 'Volcengine Ark',
  baseUrl: 'https://ark.cn-beijing.volces.com/api/v3',
  testModel: 'doubao-seed-1-6-flash-250828',
  website: 'https://console.volcengine.com/ark',
  promptCacheS: 3600,
  prefix: '',
  has: ['responses', 'embeddings', 'generations'],
  fix: [oneSystemRole],
  // Seedream makes one picture unless `sequential_image_generation` asks for a series.
  fixes: { generations: [without('n', 'quality', 'style', 'user', 'background', 'moderation')] },
  wire: { reasoning: thinkingType, reasoningAs: 'reasoning_content' },
  error: errorsWith({ AuthenticationError: 401, AccountOverdueError: 402, AccessDenied: 403 }),
  tasks: arkTasks,
});
