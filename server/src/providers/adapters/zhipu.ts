import { oldLimit, oneSystemRole, within } from '../fixes.ts';
import { switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import type { Provider } from '../provider.ts';
import { thinkingType } from '../reasoning-fields.ts';
import { zhipuToken } from '#providers/signing/zhipu-token.ts';
import { zhipuTasks } from '#providers/task-vendors/zhipu-video.ts';
import { errorsWith } from '../upstream-errors.ts';
import { knowledgePlugin, onlyAutoChoice, oneTextStops, withVendorTools } from '../zhipu-fixes.ts';

const chat = openAiCompatible({
  id: 'zhipu',
  type: 16,
  title: 'Zhipu GLM',
  baseUrl: 'https://open.bigmodel.cn/api/paas/v4',
  testModel: 'glm-4.5-flash',
  website: 'https://open.bigmodel.cn/overview',
  promptCacheS: 3600,
  form: { plugins: [knowledgePlugin, switched('web_search')] },
  prefix: '',
  has: ['embeddings', 'generations', 'rerank', 'speech', 'transcriptions'],
  fix: [
    oneSystemRole,
    oldLimit,
    within('temperature', 0.01, 1),
    within('top_p', 0.01, 1),
    onlyAutoChoice,
    oneTextStops,
    withVendorTools,
  ],
  testSpeech: () => ({ voice: 'tongtong', response_format: 'wav' }),
  wire: { reasoning: thinkingType, reasoningAs: 'reasoning_content' },
  messages: 'https://open.bigmodel.cn/api/anthropic/v1/messages',
  models: false,
  error: errorsWith({
    1000: 401,
    1001: 401,
    1002: 401,
    1003: 401,
    1004: 401,
    1110: 403,
    1111: 403,
    1112: 403,
    1113: 402,
    1121: 403,
    1301: 400,
    1302: 429,
    1303: 429,
    1304: 429,
    1305: 429,
    1308: 429,
    1310: 429,
  }),
});

export const provider: Provider = {
  ...chat,
  sign: (_, key, now) => ({ authorization: `Bearer ${zhipuToken(key, now)}` }),
  tasks: zhipuTasks,
};
