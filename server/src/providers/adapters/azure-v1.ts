import { azureHeaders, azureV1Target } from '../azure-target.ts';
import { reasoningModels } from '../fixes.ts';
import { everything, openAiCompatible } from '../open-ai-compatible.ts';
import { openAiModels } from '../questions.ts';

export const provider = openAiCompatible({
  id: 'azure-v1',
  type: 55,
  title: 'Azure OpenAI (v1)',
  website: 'https://ai.azure.com',
  promptCacheS: 1800,
  form: {
    address: 'required',
    address_example: 'https://my-resource.openai.azure.com',
    other: { kind: 'preview_or_latest', fallback: '', required: false, example: 'preview' },
  },
  headers: azureHeaders,
  prefix: '',
  has: everything.filter((modality) => modality !== 'moderations' && modality !== 'variations'),
  fix: [reasoningModels],
  target: azureV1Target,
  models: { ...openAiModels('/openai/v1/models'), target: (call) => azureV1Target(call, '/models') },
});
