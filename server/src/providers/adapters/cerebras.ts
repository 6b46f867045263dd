import { oneSystemRole, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** https://inference-docs.cerebras.ai/resources/openai names the fields that are refused. */
export const provider = openAiCompatible({
  id: 'cerebras',
  type: 110,
  title: 'Cerebras',
  baseUrl: 'https://api.cerebras.ai',
  testModel: 'llama3.1-8b',
  website: 'https://cloud.cerebras.ai',
  promptCacheS: 3600,
  has: ['completions'],
  fix: [oneSystemRole, without('frequency_penalty', 'presence_penalty', 'logit_bias', 'store', 'verbosity')],
});
