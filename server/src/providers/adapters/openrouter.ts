import { isObject, objectOr, parseJson } from '#json.ts';
import { type Fix, pluginText, where } from '../fixes.ts';
import type { ProviderCall } from '../operation.ts';
import { field } from '../form.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';
import { amountAt } from '../questions.ts';
import { openRouterReasoning } from '../reasoning-fields.ts';

const routingOf = (call: ProviderCall): string => pluginText(call, 'other', 'provider');
const hasRouting = (call: ProviderCall): boolean => routingOf(call) !== '';

/** Vendor routing, configured by the operator per model prefix. */
const routing: Fix = where(hasRouting, (body, call) => {
  const byVendor = objectOr(parseJson(routingOf(call)));
  const vendors = byVendor[call.model.split('/', 1)[0] ?? ''];
  return isObject(vendors) && body['provider'] === undefined ? { provider: vendors } : {};
});

export const provider = openAiCompatible({
  id: 'openrouter',
  type: 20,
  title: 'OpenRouter',
  baseUrl: 'https://openrouter.ai/api',
  testModel: 'openai/gpt-4o-mini',
  website: 'https://openrouter.ai/settings/credits',
  promptCacheS: 600,
  form: { plugins: [{ id: 'other', fields: [field('provider', 'json')] }] },
  has: ['completions', 'embeddings', 'responses'],
  fix: [routing],
  wire: { reasoning: openRouterReasoning, reasoningAs: 'reasoning_details', cacheControl: true },
  messages: 'https://openrouter.ai/api/v1/messages',
  balance: {
    path: '/v1/credits',
    read: (reply) => {
      const bought = amountAt(reply, 'data', 'total_credits');
      const used = amountAt(reply, 'data', 'total_usage');
      return bought === undefined || used === undefined ? undefined : { amount: bought - used, currency: 'USD' };
    },
  },
});
