import { isOn, oneSystemMessage, where } from '../fixes.ts';
import { anyKey, switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** A server on one's own machine, by default without keys. https://lmstudio.ai/docs/developer/openai-compat */
export const provider = openAiCompatible({
  id: 'lm-studio',
  type: 114,
  title: 'LM Studio',
  baseUrl: 'http://127.0.0.1:1234',
  website: 'https://lmstudio.ai',
  promptCacheS: 3600,
  form: { key: anyKey, plugins: [switched('system_anywhere')] },
  fix: [where((call) => !isOn(call, 'system_anywhere'), oneSystemMessage)],
  has: ['responses', 'completions', 'embeddings'],
});
