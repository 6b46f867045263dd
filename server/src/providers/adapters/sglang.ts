import { isOn, oneSystemMessage, where } from '../fixes.ts';
import { anyKey, switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** A server of one's own, by default without keys. https://docs.sglang.ai/basic_usage/openai_api.html */
export const provider = openAiCompatible({
  id: 'sglang',
  type: 113,
  title: 'SGLang',
  baseUrl: 'http://127.0.0.1:30000',
  website: 'https://docs.sglang.ai',
  promptCacheS: 3600,
  form: { key: anyKey, plugins: [switched('system_anywhere')] },
  fix: [where((call) => !isOn(call, 'system_anywhere'), oneSystemMessage)],
  has: ['responses', 'completions', 'embeddings'],
});
