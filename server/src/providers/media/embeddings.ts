import { listOr, objectOr, type Json } from '#json.ts';
import { BadChatRequest, BadReply } from '#chat/chat-errors.ts';
import { type Fields } from '#chat/fields.ts';
import type { Content } from '../operation.ts';

/** Name patterns of embedding models. */
export const embeddingName = /^text-embedding|embed|bge-|e5-|gte-|jina-embeddings/i;

/** The texts of an embeddings request. Throws `BadChatRequest` for token arrays, which are specific to one vendor. */
export function textsIn(fields: Fields): string[] {
  const input = fields.any('input') ?? fields.missing('input');
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === 'string')) return input;
  throw new BadChatRequest('The model behind this name embeds texts only.', 'input');
}

/** A list of vectors in OpenAI's format, as numbers or base64. Throws `BadReply`. */
export function embeddingList(vectors: readonly unknown[], request: Json, promptTokens: number): Content {
  if (vectors.length === 0 || !vectors.every(isVector))
    throw new BadReply({ code: 'bad_reply', message: 'the answer holds no embeddings' });
  const packed = request['encoding_format'] === 'base64';
  return {
    json: {
      object: 'list',
      data: vectors.map((vector, index) => ({
        object: 'embedding',
        index,
        embedding: packed ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
      })),
      model: request['model'],
      usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
    },
  };
}

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'number');

/** Upper bound of upstream requests per call. */
export const MOST_REQUESTS = 250;

/** Splits an embeddings request into requests of at most `most` texts. Throws `BadChatRequest`. */
export function inParts(request: Json, most: number | undefined): Json[] {
  const { input } = request;
  if (most === undefined || !Array.isArray(input) || input.length <= most) return [request];
  if (input.length > most * MOST_REQUESTS)
    throw new BadChatRequest(`The model behind this name takes ${most * MOST_REQUESTS} texts in a call.`, 'input');
  return Array.from({ length: Math.ceil(input.length / most) }, (_, i) => ({
    ...request,
    input: input.slice(i * most, (i + 1) * most),
  }));
}

/** Merges the lists of all parts. */
export function joined(contents: readonly Content[]): Content {
  const [first, ...further] = contents;
  if (further.length === 0) return first!; // there is at least one
  const lists = contents.map((content) => objectOr('json' in content ? content.json : undefined));
  const tokens = lists.reduce((sum, { usage }) => sum + Number(objectOr(usage)['prompt_tokens'] ?? 0), 0);
  return {
    json: {
      ...lists[0],
      data: lists.flatMap(({ data }) => listOr(data)).map((one, index) => ({ ...objectOr(one), index })),
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    },
  };
}
