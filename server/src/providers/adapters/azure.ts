import { AZURE_VERSION, azureHeaders, azureTarget, isV1, resource } from '../azure-target.ts';
import { reasoningModels } from '../fixes.ts';
import { everything, openAiCompatible } from '../open-ai-compatible.ts';
import { namesIn } from '../questions.ts';

/** First dated API version with the Responses API (spring 2025). */
const FIRST_RESPONSES = '2025-03-01';

/** Later versions list deployments through another API with another login. */
const DEPLOYMENTS = '/openai/deployments?api-version=2023-03-15-preview';

/** Azure OpenAI by deployments and dated versions, or by its v1 API if the channel's version is `v1`. */
export const provider = openAiCompatible({
  id: 'azure',
  type: 3,
  title: 'Azure OpenAI',
  website: 'https://oai.azure.com',
  promptCacheS: 1800,
  form: {
    address: 'required',
    address_example: 'https://my-resource.openai.azure.com',
    other: { kind: 'api_version', fallback: AZURE_VERSION, required: false, example: AZURE_VERSION },
  },
  headers: azureHeaders,
  prefix: '',
  has: everything.filter((modality) => modality !== 'moderations' && modality !== 'variations'),
  fix: [reasoningModels],
  serves: (modality, about) => modality !== 'responses' || isV1(about) || about.extras.other >= FIRST_RESPONSES,
  target: azureTarget,
  models: {
    path: DEPLOYMENTS,
    target: ({ baseUrl, key }) => ({ baseUrl: resource(baseUrl), path: DEPLOYMENTS, headers: azureHeaders(key) }),
    // Deployment names cannot contain dots.
    read: (reply) => namesIn(reply, 'data', 'id')?.map((name) => name.replace('gpt-35', 'gpt-3.5')),
  },
});
