import { isOn, oneSystemMessage, where } from '../fixes.ts';
import { anyKey, switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** A server of one's own, by default without keys. https://docs.vllm.ai/en/latest/serving/online_serving/ */
export const provider = openAiCompatible({
  id: 'vllm',
  type: 112,
  title: 'vLLM',
  baseUrl: 'http://127.0.0.1:8000',
  website: 'https://docs.vllm.ai',
  promptCacheS: 3600,
  form: { key: anyKey, plugins: [switched('system_anywhere')] },
  fix: [where((call) => !isOn(call, 'system_anywhere'), oneSystemMessage)],
  has: ['responses', 'completions', 'embeddings', 'transcriptions', 'translations', 'rerank'],
});
