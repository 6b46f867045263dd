import { openAiTraits } from '#chat/openai/openai-traits.ts';
import type { DialectId } from '#chat/codec.ts';
import { objectOr, type Json } from '#json.ts';
import type { RelayCall } from '#relay/types/call-types.ts';
import { spliceMembers } from '#relay/body/json-splice.ts';

/** The least budget that Anthropic accepts for reasoning; it must be below the output limit. */
const LEAST_THINKING = 1024;

interface LimitedRequest {
  body: Buffer;
  json: unknown;
  dropped: RelayCall['dropped'];
}

/**
 * A request in the caller's dialect with an output limit per choice, under the name that the request or the model uses.
 * All other bytes stay, except in Gemini's dialect, where the limit is inside another member.
 */
export function withOutputLimit(
  { body, json, dropped }: Pick<RelayCall, 'body' | 'json' | 'dropped'>,
  dialect: DialectId,
  model: string,
  limit: number,
): LimitedRequest {
  const request = objectOr(json);
  const changes = limitMembers(request, dialect, model, limit);
  const texts = Object.fromEntries(Object.entries(changes).map(([name, value]) => [name, JSON.stringify(value)]));
  return {
    json: { ...request, ...changes },
    body: spliceMembers(body, texts),
    dropped: dropped?.originalBody ? { ...dropped, originalBody: spliceMembers(dropped.originalBody, texts) } : dropped,
  };
}

function limitMembers(request: Json, dialect: DialectId, model: string, limit: number): Json {
  if (dialect === 'responses') return { max_output_tokens: limit };
  if (dialect === 'gemini') {
    const name = request['generation_config'] === undefined ? 'generationConfig' : 'generation_config';
    const limitName = name === 'generationConfig' ? 'maxOutputTokens' : 'max_output_tokens';
    return { [name]: { ...objectOr(request[name]), [limitName]: limit } };
  }
  if (dialect === 'anthropic') return { max_tokens: limit, ...shorterThinking(request, limit) };
  const names = ['max_completion_tokens', 'max_tokens'].filter((name) => typeof request[name] === 'number');
  if (names.length === 0) names.push(openAiTraits(model).reasoningOnly ? 'max_completion_tokens' : 'max_tokens');
  return Object.fromEntries(names.map((name) => [name, limit]));
}

function shorterThinking({ thinking }: Json, limit: number): Json {
  const { budget_tokens: budget } = objectOr(thinking);
  if (typeof budget !== 'number' || budget < limit) return {};
  if (limit <= LEAST_THINKING) return { thinking: { type: 'disabled' } };
  return { thinking: { ...objectOr(thinking), budget_tokens: Math.max(LEAST_THINKING, Math.floor(limit / 2)) } };
}
