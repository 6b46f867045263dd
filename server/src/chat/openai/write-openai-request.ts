import type { Json } from '#json.ts';
import type { ChatRequest, Reasoning, ResponseFormat, WebSearch } from '../chat.ts';
import type { WireOptions } from '../codec.ts';
import { offeredTools, refuseChoices } from '../offered-tools.ts';
import { effortOf } from '../reasoning.ts';
import { steered, type Steering, unlessSet } from '../steering.ts';
import { MOST_STOPS, openAiTraits } from './openai-traits.ts';
import { type MessageOptions, writeMessages } from './write-openai-messages.ts';

/** Differences between vendors of this wire. */
export interface OpenAiWireOptions extends WireOptions, MessageOptions {
  /** The vendor's reasoning parameters; absent: `reasoning_effort`, for OpenAI's models that accept it. */
  reasoning?: ((reasoning: Reasoning) => Json) | undefined;
  /** All models of the vendor want the field of reasoning at calls, if only empty. */
  reasoningRequired?: boolean | undefined;
  /** Fields that the vendor refuses. */
  omit?: readonly string[] | undefined;
}

/** Writes a Chat Completions request. Throws `BadChatRequest` for unsupported features. */
export function writeOpenAiRequest(request: ChatRequest, options: OpenAiWireOptions): Json {
  refuseChoices(request);
  const body: Json = {
    model: options.model,
    messages: writeMessages(request, { ...options, ...returnsReasoning(options) }),
    ...writeTools(request),
    ...(openAiSearches(request, options.model) && { web_search_options: writePlace(request.webSearch) }),
    ...writeSampling(request, options.model),
    ...writeReasoning(request.reasoning, options),
    stop: request.stop.length > 0 ? request.stop.slice(0, MOST_STOPS) : undefined,
    seed: request.seed,
    response_format: request.format && writeFormat(request.format),
    user: request.user,
    service_tier: request.serviceTier,
    prompt_cache_key: request.cacheKey,
    ...writeModalities(request),
    ...(request.stream && { stream: true, stream_options: { include_usage: true } }),
  };
  for (const field of options.omit ?? []) delete body[field];
  return body;
}

/** OpenAI's models for searching, which do nothing else. https://platform.openai.com/docs/guides/tools-web-search */
export const openAiSearches = ({ webSearch }: ChatRequest, model: string): boolean =>
  webSearch !== undefined && /-search-(preview|api)/.test(model);

function writePlace(webSearch: WebSearch | undefined): Json {
  const place = Object.entries(webSearch ?? {}).filter(([, value]) => value !== undefined);
  if (place.length === 0) return {};
  return { user_location: { type: 'approximate', approximate: Object.fromEntries(place) } };
}

/** OpenAI's own models take no reasoning back; models that think by default refuse calls without it. */
function returnsReasoning({ model, reasoningAs, reasoningRequired }: OpenAiWireOptions): Partial<MessageOptions> {
  const { takesReasoning, needsReasoning } = openAiTraits(model);
  if (!takesReasoning) return { reasoningAs: reasoningAs ?? 'none' };
  const named = reasoningAs === undefined || reasoningAs === 'reasoning_content';
  return { needsReasoning: named && (needsReasoning || reasoningRequired) };
}

/** Sound is asked for as samples, which every caller's format can be made of. */
function writeModalities({ modalities, sound }: ChatRequest): Json {
  if (!modalities?.includes('audio')) return { modalities };
  return { modalities: ['text', 'audio'], audio: { voice: sound?.voice ?? 'alloy', format: 'pcm16' } };
}

/** Changes to a passed-through request for the reasoning suffix of the model name. */
export function steerOpenAi(body: Json, steering: Steering, options: OpenAiWireOptions): Json {
  const added = writeReasoning(steered(undefined, steering), options);
  for (const field of options.omit ?? []) delete added[field];
  return unlessSet(body, steering, added);
}

function writeTools(request: ChatRequest): Json {
  const { tools, mode, only } = offeredTools(request);
  if (tools.length === 0) return {};
  return {
    tools: tools.map(({ name, description, schema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: schema ?? { type: 'object', properties: {} }, strict },
    })),
    tool_choice: only === undefined ? mode : { type: 'function', function: { name: only } },
    parallel_tool_calls: request.parallelToolCalls,
  };
}

function writeSampling(request: ChatRequest, model: string): Json {
  const { maxOutput, temperature, topP, frequencyPenalty, presencePenalty, verbosity } = request;
  const { reasoningOnly } = openAiTraits(model);
  if (reasoningOnly) return { max_completion_tokens: maxOutput, verbosity };
  return {
    max_tokens: maxOutput,
    temperature,
    top_p: topP,
    frequency_penalty: frequencyPenalty,
    presence_penalty: presencePenalty,
  };
}

function writeReasoning(reasoning: Reasoning | undefined, { model, reasoning: write }: OpenAiWireOptions): Json {
  if (!reasoning) return {};
  if (write) return write(reasoning);
  return openAiTraits(model).effort || reasoning.insisted ? { reasoning_effort: effortOf(reasoning) } : {};
}

function writeFormat(format: ResponseFormat): Json {
  if (format.type === 'text') return { type: 'text' };
  if (format.type === 'json') return { type: 'json_object' };
  const { name = 'answer', description, schema, strict } = format;
  return { type: 'json_schema', json_schema: { name, description, schema, strict } };
}
