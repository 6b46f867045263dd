import { oneSystemRole } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { namesIn } from '../questions.ts';
import { bearer } from '../target.ts';

/** A workspace's serving endpoints: the endpoint's name is the model. */
export const provider = openAiCompatible({
  id: 'databricks',
  type: 54,
  title: 'Azure Databricks',
  website: 'https://portal.azure.com',
  promptCacheS: 1800,
  form: { address: 'required', address_example: 'https://adb-1234567890123456.7.azuredatabricks.net' },
  has: ['embeddings', 'completions'],
  fix: [oneSystemRole],
  target: ({ baseUrl, key, model }) => ({
    baseUrl,
    path: `/serving-endpoints/${encodeURIComponent(model)}/invocations`,
    headers: bearer(key),
  }),
  models: { path: '/api/2.0/serving-endpoints', read: (reply) => namesIn(reply, 'endpoints', 'name') },
});
