import { noUsage } from '@relay-hub/contract';
import { objectOr, type Json } from '#json.ts';
import { estimateTokens } from '#quota/estimate.ts';
import { assumedImages, assumedSpeech } from './assumed-usage.ts';
import {
  estimateInput,
  isBoolean,
  isChoices,
  isInput,
  isLimit,
  limitText,
  modelOf,
  objectOf,
  optional,
  required,
  streamOf,
} from './open-ai.ts';
import type { ParsedRequest } from '#relay/types/parsed-request.ts';

const isText = (value: unknown): value is string => typeof value === 'string';
const isFilledText = (value: unknown): value is string => isText(value) && value !== '';
const isFilledList = (value: unknown): value is unknown[] => Array.isArray(value) && value.length > 0;
const isSomething = (value: unknown): value is string | unknown[] => isFilledText(value) || isFilledList(value);

/** Defaults of all operations but chat. */
const plain = {
  stream: false,
  wantsUsage: true,
  outputLimit: 0,
  usesTools: false,
  usesImages: false,
} as const;

/** The requested model, or a default. */
const modelOr = (request: Json, otherwise: string): Pick<ParsedRequest, 'model' | 'modelOmitted'> =>
  request['model'] === undefined || request['model'] === null
    ? { model: otherwise, modelOmitted: true }
    : { model: modelOf(request) };

/** Parses a legacy completion. Throws a 400 that names the field. */
export function parseCompletion(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const prompt = required(request, 'prompt', isInput, 'a text, a list of texts, or token numbers');
  const most = optional(request, 'max_tokens', isLimit, limitText);
  const choices = Math.max(
    optional(request, 'n', isChoices, 'a whole number from 1 to 128') ?? 1,
    optional(request, 'best_of', isChoices, 'a whole number from 1 to 128') ?? 1,
  );
  return {
    ...plain,
    ...streamOf(request),
    model: modelOf(request),
    inputTokens: estimateInput(prompt),
    outputLimit: most === undefined ? undefined : most * choices,
    choices,
  };
}

/** Parses a moderation: a text, texts, or parts of text and images. Throws a 400 that names the field. */
export function parseModeration(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const input = required(request, 'input', isSomething, 'a text, or a list of texts or parts');
  const inputTokens = estimateTexts(input);
  return {
    ...plain,
    ...modelOr(request, 'omni-moderation-latest'),
    inputTokens,
    assumed: { ...noUsage, input: inputTokens },
    json: request,
  };
}

/** Parses a rerank request. Throws a 400 that names the field. */
export function parseRerank(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const query = required(request, 'query', isFilledText, 'a text');
  const documents = required(request, 'documents', isFilledList, 'a list with at least one document');
  const inputTokens = estimateTokens(query) + estimateTexts(documents);
  return {
    ...plain,
    model: modelOf(request),
    inputTokens,
    assumed: { ...noUsage, input: inputTokens },
    json: request,
  };
}

/** Parses an image generation. Throws a 400 that names the field. */
export function parseImages(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const prompt = required(request, 'prompt', isFilledText, 'a text');
  return { ...imagesOf(request, estimateTokens(prompt)), json: request };
}

/** Parses an image edit whose images are given by URL. Throws a 400 that names the field. */
export function parseImageEdits(json: unknown): ParsedRequest {
  const request = objectOf(json);
  required(request, 'images', isFilledList, 'a list with at least one image');
  return { ...parseImages(json), usesImages: true };
}

/** Fields that all image requests share, as JSON or form. */
export function imagesOf(request: Json, promptTokens: number): ParsedRequest {
  const named = modelOr(request, 'dall-e-2');
  const images = optional(request, 'n', isChoices, 'a whole number from 1 to 128') ?? 1;
  const text = (name: string) => optional(request, name, isText, 'a text');
  return {
    ...plain,
    ...named,
    stream: optional(request, 'stream', isBoolean, 'true or false') ?? false,
    inputTokens: promptTokens,
    assumed: assumedImages({
      model: named.model,
      promptTokens,
      images,
      size: text('size'),
      quality: text('quality'),
      style: text('style'),
    }),
  };
}

/** Parses a speech request. Throws a 400 that names the field. */
export function parseSpeech(json: unknown): ParsedRequest {
  const request = objectOf(json);
  const input = required(request, 'input', isFilledText, 'a text');
  const model = modelOf(request);
  const { speed } = request;
  const assumed = assumedSpeech({ model, input, speed: typeof speed === 'number' ? speed : undefined });
  const events = optional(request, 'stream_format', isText, 'a text') === 'sse';
  return { ...plain, model, stream: events, inputTokens: assumed.input, assumed, json: request };
}

/** Approximate tokens of an image in full detail. */
const IMAGE_TOKENS = 800;

function estimateTexts(value: unknown): number {
  if (typeof value === 'string') return estimateTokens(value);
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + estimateTexts(one), 0);
  const { text, type } = objectOr(value);
  if (typeof text === 'string') return estimateTokens(text);
  return type === 'image_url' ? IMAGE_TOKENS : 0;
}
