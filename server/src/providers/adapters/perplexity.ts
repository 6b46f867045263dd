import { isObject, objectOr } from '#json.ts';
import { perplexityChat } from '#usage/perplexity.ts';
import { type Fix, oneSystemRole, whereSeen, without } from '../fixes.ts';
import { openAiCompatible } from '../open-ai-compatible.ts';

/** The format of an answer has the shape and the place that it has in chats. */
const chatFormat: Fix = whereSeen(['"text"'], (body) => {
  if (!isObject(body['text'])) return {};
  const { type, ...schema } = objectOr(body['text']['format']);
  const format = type === 'json_schema' ? { type, json_schema: schema } : undefined;
  return { text: undefined, ...(format && body['response_format'] === undefined && { response_format: format }) };
});

/** A tool is chosen by its name alone. */
const namedChoice: Fix = whereSeen(['"tool_choice"'], (body) => {
  const { type, name } = objectOr(body['tool_choice']);
  return type === 'function' ? { tool_choice: { name } } : {};
});

/**
 * Sonar models chat, and search by themselves. Models with a vendor in their names are served by the Agent API, which is
 * OpenAI's Responses and refuses fields that it does not know. https://docs.perplexity.ai/docs/agent-api
 */
export const provider = openAiCompatible({
  id: 'perplexity',
  type: 111,
  title: 'Perplexity',
  baseUrl: 'https://api.perplexity.ai',
  testModel: 'sonar',
  website: 'https://console.perplexity.ai',
  promptCacheS: 1800,
  has: ['responses'],
  usage: perplexityChat,
  fix: [oneSystemRole],
  fixes: {
    responses: [
      without('include', 'user', 'service_tier', 'prompt_cache_key', 'safety_identifier'),
      chatFormat,
      namedChoice,
    ],
  },
  serves: (modality, { model }) => (modality === 'responses') === model.includes('/'),
  models: false,
});
