import type { Usage } from '@relay-hub/contract';
import { completionTokens } from '@relay-hub/contract';
import type { Json } from '#json.ts';
import type { ChatReply, FinishReason, Part, Signature } from '../chat.ts';
import type { DialectError, ReplyContext } from '../codec.ts';
import { sealed } from '../signatures.ts';
import { argumentsObject } from '../tool-calls.ts';
import { cacheRead, cacheWritten } from '../usage-totals.ts';

export const messageId = (requestId: string): string => `msg_${requestId}`;

/** A message without content, for the start of a stream; `more` overrides members. */
export const messageShell = ({ requestId, model }: ReplyContext, more: Json): Json => ({
  id: messageId(requestId),
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  ...more,
});

/** https://platform.claude.com/docs/en/api/messages */
export function writeAnthropicReply({ parts, finish, stopSequence, usage }: ChatReply, context: ReplyContext): Json {
  return messageShell(context, {
    content: parts.filter(({ type }) => type !== 'audio').flatMap(writeBlocks),
    stop_reason: stopReason(
      finish,
      parts.some(({ type }) => type === 'refusal'),
    ),
    stop_sequence: finish === 'stop_sequence' ? (stopSequence ?? null) : null,
    usage: writeAnthropicUsage(usage),
  });
}

const reasons: Record<FinishReason, string> = {
  stop: 'end_turn',
  stop_sequence: 'stop_sequence',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
  refusal: 'refusal',
  pause: 'pause_turn',
};

/** `refuses`: the answer has a part of OpenAI's that refuses; it ends with `stop` there. */
export const stopReason = (finish: FinishReason, refuses: boolean): string =>
  reasons[refuses && finish === 'stop' ? 'refusal' : finish];

function writeBlocks(part: Part): Json[] {
  switch (part.type) {
    case 'text':
    case 'refusal':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }];
    case 'thinking':
      return [thinkingBlock(part.text, part.signature)];
    case 'tool_call': {
      const call = { type: 'tool_use', id: part.id, name: part.name, input: argumentsObject(part.arguments) };
      return part.signature ? [thinkingBlock('', part.signature), call] : [call];
    }
    default:
      return [];
  }
}

/** Anthropic has no signatures on calls, so one becomes an empty thinking block before the call. */
export const thinkingBlock = (thinking: string, signature: Signature | undefined): Json =>
  signature?.kind === 'anthropic-redacted'
    ? { type: 'redacted_thinking', data: signature.value }
    : { type: 'thinking', thinking, signature: signature ? sealed(signature, 'anthropic') : '' };

/** Anthropic's input count excludes tokens read from or written to a cache. */
export function writeAnthropicUsage(usage: Usage | undefined): Json {
  if (!usage) return { input_tokens: 0, output_tokens: 0 };
  return {
    input_tokens: usage.input + usage.inputAudio + usage.inputImage,
    cache_creation_input_tokens: cacheWritten(usage),
    cache_read_input_tokens: cacheRead(usage),
    cache_creation: {
      ephemeral_5m_input_tokens: usage.cacheWrite,
      ephemeral_1h_input_tokens: usage.cacheWrite1h,
    },
    output_tokens: completionTokens(usage),
    ...(usage.reasoning > 0 && { output_tokens_details: { thinking_tokens: usage.reasoning } }),
  };
}

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/** Agents shorten their history only if the text begins with Anthropic's words. */
const inItsWords = ({ code, message }: DialectError): string =>
  code !== 'context_length_exceeded' || /^(?:prompt is too long|input length and `max_tokens`)/i.test(message)
    ? message
    : `prompt is too long: ${message}`;

export const anthropicErrorBody = (error: DialectError, requestId: string): Json => ({
  type: 'error',
  error: {
    type: types[error.status] ?? (error.status < 500 ? 'invalid_request_error' : 'api_error'),
    message: `${inItsWords(error)} (request id: ${requestId})`,
    ...(error.details && { details: error.details }),
  },
  request_id: requestId,
});
