import { BadChatRequest, BadReply } from '#chat/chat-errors.ts';
import type { Json } from '#chat/chat.ts';
import type { Fields } from '#chat/fields.ts';
import type { Content } from '../operation.ts';

/** The texts that an embeddings request holds. Throws `BadChatRequest`: tokens are numbers of one vendor's vocabulary. */
export function textsIn(fields: Fields): string[] {
  const input = fields.any('input') ?? fields.missing('input');
  if (typeof input === 'string') return [input];
  if (Array.isArray(input) && input.length > 0 && input.every((one) => typeof one === 'string')) return input;
  throw new BadChatRequest('The model behind this name embeds texts only.', 'input');
}

/** Vectors in OpenAI's form: numbers, or their bytes where the caller asked for base64. Throws `BadReply`. */
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
