import { isOn, oldLimit, oneSystemRole, where } from '../fixes.ts';
import { switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { thinkingBudget } from '../reasoning-fields.ts';
import type { Provider } from '../provider.ts';
import { bearer } from '../target.ts';
import { dashScopeTasks } from '#providers/task-vendors/dashscope-video.ts';
import { errorsWith } from '../upstream-errors.ts';

/** Model Studio's compatible mode, a superset of DashScope's older API. */
const chat = openAiCompatible({
  id: 'ali',
  type: 17,
  title: 'Alibaba Model Studio',
  baseUrl: 'https://dashscope.aliyuncs.com',
  testModel: 'qwen-flash',
  website: 'https://dashscope.console.aliyun.com/overview',
  promptCacheS: 300,
  form: {
    other: { kind: 'plugin_header', fallback: '', required: false, example: '{"pdf_extracter":{}}' },
    plugins: [switched('web_search')],
  },
  prefix: '/compatible-mode/v1',
  has: ['embeddings', 'rerank', 'completions', 'raw'],
  paths: { rerank: '/compatible-api/v1/reranks' },
  fix: [
    oneSystemRole,
    oldLimit,
    where(
      (call) => isOn(call, 'web_search'),
      () => ({ enable_search: true }),
    ),
  ],
  wire: { reasoning: thinkingBudget, reasoningAs: 'reasoning_content' },
  target: ({ baseUrl, key, extras, callerPath = '' }, path, modality) => ({
    // Older channels contain the mode in their base URL.
    baseUrl: baseUrl.replace(/\/compatible-mode$/, ''),
    path: modality === 'raw' ? path + callerPath.replace(/^\/v1(?=[/?]|$)/, '') : path,
    headers: { ...bearer(key), ...(extras.other !== '' && { 'x-dashscope-plugin': extras.other }) },
  }),
  error: errorsWith({
    Arrearage: 402,
    InvalidApiKey: 401,
    invalid_api_key: 401,
    limit_requests: 429,
    limit_burst_rate: 429,
    insufficient_quota: 429,
    'Throttling.RateQuota': 429,
    'Throttling.AllocationQuota': 429,
  }),
});

export const provider: Provider = { ...chat, tasks: dashScopeTasks };
