/**
 * Dialects: validates callers’ requests of each operation.
 * Used by routes to parse a request before select.
 */
import { isObject, objectOr, type Json } from '#json.ts';
import type { ChatRequest } from '#chat/chat.ts';
import { openAiErrorBody } from '#chat/openai/write-openai-reply.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { badRequest, type RelayError } from '#relay/reply/relay-error.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';

/**
 * Parses a chat completion; `chat` builds the neutral form. Validated by hand, because it runs for every call. Throws a
 * 400 that names the field.
 */
export function parseChat(json: unknown, chat: () => ChatRequest): ParsedRequest {
  const request = objectOf(json);
  const { stream, wantsUsage } = streamOf(request);
  const messages = required(request, 'messages', isFilledArray, 'an array with at least one message');
  const bad = messages.findIndex((message) => !isObject(message) || typeof message['role'] !== 'string');
  if (bad >= 0)
    throw badRequest(`'messages.${bad}' is not valid: a message is an object with a 'role'.`, `messages.${bad}`);
  const most =
    optional(request, 'max_completion_tokens', isLimit, limitText) ??
    optional(request, 'max_tokens', isLimit, limitText);
  const choices = optional(request, 'n', isChoices, 'a whole number from 1 to 128') ?? 1;
  const tools = optional(request, 'tools', isArray, 'an array');
  const usesImages = messages.some((message) => hasImage(message));
  return {
    model: modelOf(request),
    stream,
    wantsUsage,
    inputTokens: estimateMessages(messages) + (tools ? estimateTokens(JSON.stringify(tools)) : 0),
    outputLimit: most === undefined ? undefined : most * choices,
    choices,
    usesTools: tools !== undefined,
    usesImages,
    imageTokens: usesImages ? estimateImages(messages) : 0,
    chat,
  };
}

/** Whether a stream and its usage event are requested. Throws a 400 that names the field. */
export function streamOf(request: Json): Pick<ParsedRequest, 'stream' | 'wantsUsage'> {
  const stream = optional(request, 'stream', isBoolean, 'true or false') ?? false;
  const options = optional(request, 'stream_options', isObject, 'an object');
  if (options && !stream) throw badRequest("'stream_options' is only allowed when 'stream' is true.", 'stream_options');
  return { stream, wantsUsage: options?.['include_usage'] === true };
}

/** Parses an embeddings request. Throws a 400 that names the field. */
export function parseEmbeddings(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const input = required(request, 'input', isInput, 'a text, a list of texts, or token numbers');
  return {
    model: modelOf(request),
    stream: false,
    wantsUsage: false,
    inputTokens: estimateInput(input),
    outputLimit: 0,
    usesTools: false,
    usesImages: false,
    json: request,
  };
}

export const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
/** A model name that fits a log row and its index. */
export const isName = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= 200 && !value.includes('\0');
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
const isFilledArray = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isWhole = (value: unknown): value is number => Number.isInteger(value);
const MAX_TOKENS = 1_073_741_823;
export const limitText = `a whole number from 1 to ${MAX_TOKENS}`;
export const isLimit = (value: unknown): value is number => isWhole(value) && value >= 1 && value <= MAX_TOKENS;
export const isChoices = (value: unknown): value is number => isWhole(value) && value >= 1 && value <= 128;

type Input = string | string[] | number[] | number[][];

export const isInput = (value: unknown): value is Input =>
  (typeof value === 'string' && value !== '') ||
  (isFilledArray(value) &&
    (value.every((one) => typeof one === 'string') ||
      value.every(isWhole) ||
      value.every((one) => Array.isArray(one) && one.every(isWhole))));

/** Throws a 400 unless the body is a JSON object. */
export function objectOf(json: unknown): Json {
  if (!isObject(json)) throw badRequest('The request body must be a JSON object.');
  return json;
}

export const modelOf = (request: Json): string => required(request, 'model', isName, 'the name of a model');

/** A required field. Throws a 400 that names it. */
export function required<T>(request: Json, field: string, is: (value: unknown) => value is T, expected: string): T {
  const value = request[field];
  if (value === undefined || value === null) throw badRequest(`'${field}' is required.`, field);
  if (!is(value)) throw badRequest(`'${field}' is not valid: it must be ${expected}.`, field);
  return value;
}

/** An optional field; like OpenAI, null counts as omitted. */
export function optional<T>(
  request: Json,
  field: string,
  is: (value: unknown) => value is T,
  expected: string,
): T | undefined {
  const value = request[field];
  return value === undefined || value === null ? undefined : required(request, field, is, expected);
}

/** Estimate like a chat tokenizer: a few tokens per message, plus its texts. */
function estimateMessages(messages: readonly unknown[]): number {
  let tokens = 3;
  for (const message of messages) {
    const { content, tool_calls: calls } = objectOr(message);
    tokens += 4;
    if (typeof content === 'string') tokens += estimateTokens(content);
    else if (Array.isArray(content)) for (const part of content) tokens += estimatePart(part);
    if (calls) tokens += estimateTokens(JSON.stringify(calls));
  }
  return tokens;
}

function estimateImages(messages: readonly unknown[]): number {
  let images = 0;
  for (const message of messages) {
    const { content } = objectOr(message);
    if (Array.isArray(content))
      images += content.filter((part) => isObject(part) && part['type'] === 'image_url').length;
  }
  return images * IMAGE_TOKENS;
}

function hasImage(message: unknown): boolean {
  const { content } = objectOr(message);
  return Array.isArray(content) && content.some((part) => isObject(part) && part['type'] === 'image_url');
}

/** Approximate tokens of an image in full detail. */
const IMAGE_TOKENS = 800;

function estimatePart(part: unknown): number {
  const { type, text } = objectOr(part);
  if (typeof text === 'string') return estimateTokens(text);
  return type === 'image_url' ? IMAGE_TOKENS : 0;
}

/** Tokens of texts, or the number of tokens given. */
export function estimateInput(input: Input): number {
  if (typeof input === 'string') return estimateTokens(input);
  let tokens = 0;
  for (const one of input)
    tokens += typeof one === 'string' ? estimateTokens(one) : typeof one === 'number' ? 1 : one.length;
  return tokens;
}

type OpenAiError = Pick<RelayError, 'message' | 'type' | 'param' | 'code'> & Partial<Pick<RelayError, 'inner'>>;

/** An error in OpenAI's format, with the request id for the logs. */
export const errorBody = (error: OpenAiError, requestId: string): string =>
  JSON.stringify(openAiErrorBody(error, requestId));

/**
 * The event that ends a broken stream, without `[DONE]`. Its leading blank line closes an event that was cut; after a
 * complete event it is ignored.
 */
export function errorEvent(error: OpenAiError, requestId: string): string {
  return `\n\ndata: ${errorBody(error, requestId)}\n\n`;
}
