import {
  fittingMistralIds,
  isOn,
  mistralId,
  oneSystemMessage,
  oneSystemRole,
  where,
  renamed,
  oldLimit,
  without,
} from '../fixes.ts';
import { switched } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** Unknown fields are refused. */
const unknown =
  'user logit_bias logprobs top_logprobs store service_tier modalities audio verbosity web_search_options functions function_call safety_identifier prompt_cache_key'.split(
    ' ',
  );

export const provider = openAiCompatible({
  id: 'mistral',
  type: 30,
  title: 'Mistral',
  baseUrl: 'https://api.mistral.ai',
  testModel: 'mistral-small-latest',
  website: 'https://console.mistral.ai',
  promptCacheS: 3600,
  has: ['embeddings', 'completions', 'moderations', 'transcriptions', 'raw'],
  paths: { completions: '/v1/fim/completions' },
  form: { plugins: [switched('one_system_message')] },
  fix: [
    oneSystemRole,
    where((call) => isOn(call, 'one_system_message'), oneSystemMessage),
    oldLimit,
    renamed('seed', 'random_seed'),
    without(...unknown),
    fittingMistralIds,
  ],
  wire: { reasoning: () => ({}), toolId: mistralId, onlyReasoningIn: 'content' },
  usageInStream: 'always',
});
