import type { MaskedRefusal } from '#relay/types/call-types.ts';

/** OpenAI's code for a prompt that does not fit; agents shorten their history when they see it. */
export const CONTEXT_LENGTH = 'context_length_exceeded';

const names = /^(?:context_length_exceeded|context_window_exceeded|exceed_context_size_error|tokens_limit_reached)$/i;

/** By vendor: Anthropic, Gemini, Bedrock, OpenAI and many others, xAI, Mistral, Cohere, Alibaba, Moonshot, llama.cpp. */
const words = new RegExp(
  [
    'prompt is too long',
    'input length and `?max_tokens`? exceed context limit',
    'exceeds the maximum number of (?:input )?tokens',
    'input is too long for requested model',
    'maximum (?:context|prompt|input) length (?:is|of)\\b',
    'exceeds the (?:available )?context (?:window|size|length)',
    'context window exceeds limit',
    'too large for model with \\d+ maximum context length',
    'too many tokens: total number of tokens',
    'range of input length should be',
    'exceeded model token limit',
  ].join('|'),
  'i',
);

const statuses = new Set([400, 413, 422]);

/** Whether a vendor refused a prompt for its length. */
export const isTooLong = ({ status, code = '', type = '', message }: MaskedRefusal): boolean =>
  statuses.has(status) && (names.test(code) || names.test(type) || words.test(message));
