import type { UpstreamError } from '#providers/provider.ts';
import { readUpstreamError } from '#providers/upstream-errors.ts';
import type { ChannelChoice, MaskedRefusal } from '#relay/types/call-types.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';
import type { ErrorNames } from '#relay/types/stream-types.ts';
import { causeOfRefusal, type RefusalContext } from './refusal-cause.ts';
import { maskAndTrim } from './upstream-text.ts';

/** OpenAI's code for a prompt that does not fit; agents shorten their history when they see it. */
const CONTEXT_LENGTH = 'context_length_exceeded';

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
const isTooLong = ({ status, code = '', type = '', message }: MaskedRefusal): boolean =>
  statuses.has(status) && (names.test(code) || names.test(type) || words.test(message));

/** Reads an upstream's error with the provider's own reader; undefined: no error. `sentBody`: the body sent. */
export function readRefusal(
  choice: ChannelChoice,
  { status, headers }: AttemptResult,
  json: unknown,
  sentBody: Buffer | undefined,
): MaskedRefusal | undefined {
  const read = choice.channel.provider.error ?? readUpstreamError;
  const error = read({ status, json, ...(headers && { headers }) });
  return (
    error &&
    maskRefusal(choice, error, {
      isJson: json !== undefined,
      upstreamModel: choice.upstreamModel,
      requestBody: sentBody,
    })
  );
}

function maskRefusal(choice: ChannelChoice, error: UpstreamError, about: RefusalContext): MaskedRefusal {
  const { message, type, code, param, status, retryAfterMs, inner } = error;
  const { cause, unclear } = causeOfRefusal(error, about);
  const masking = (text: string | undefined) => (text === undefined ? undefined : maskAndTrim(choice, text));
  return {
    message: maskAndTrim(choice, message),
    type: masking(type),
    code: masking(code),
    param: masking(param),
    status,
    retryAfterMs,
    cause,
    unclear,
    ...(inner && { inner }),
  };
}

/** Status of an error that came with a success status and names no other. */
export const UNKNOWN_STATUS = 502;

/** A refusal without the vendor's names for it. */
export const unnamedRefusal = (choice: ChannelChoice, message: string, status = UNKNOWN_STATUS): MaskedRefusal =>
  refusalInStream(choice, message, { status });

/** The refusal by an error event of a stream, under the vendor's names. */
export const refusalInStream = (
  choice: ChannelChoice,
  message: string,
  { type, code, status = UNKNOWN_STATUS }: Partial<ErrorNames> = {},
): MaskedRefusal =>
  maskRefusal(
    choice,
    { message, status, type, code, param: undefined, retryAfterMs: undefined },
    { isJson: true, upstreamModel: choice.upstreamModel, requestBody: undefined },
  );

/** The caller's error for an upstream refusal. */
export function callerRefusal(refused: MaskedRefusal, result: AttemptResult): RelayError {
  const { status, type, code, param, message, retryAfterMs, cause, inner } = refused;
  // The channel's key or account is the operator's concern.
  if (cause === 'key' && /unsupported_country/i.test(code ?? '')) return countryNotServed();
  if (cause === 'key' || cause === 'billing') return credentialsRejected();
  if (cause === 'broken') return blockedInFront(status);
  if (isTooLong(refused))
    return new RelayError(400, message, {
      type: 'invalid_request_error',
      code: CONTEXT_LENGTH,
      ...(param !== undefined && { param }),
    });
  const retryAfter = retryAfterFor(retryAfterMs, result.retryAfter);
  // Some vendors put the status where others put an error code.
  const own = code !== undefined && code !== String(status) ? code : undefined;
  const named = own ?? (cause === 'content' ? 'content_filter' : 'upstream_status');
  return new RelayError(status >= 400 ? status : 502, message, {
    type: type ?? 'upstream_error',
    code: named,
    ...(inner && { inner }),
    ...retryHint(result.headers),
    ...(retryAfter !== undefined && { retryAfter }),
    ...(param !== undefined && { param }),
  });
}

const countryNotServed = (): RelayError =>
  new RelayError(502, 'The upstream does not serve the country of this server.', {
    type: 'upstream_error',
    code: 'upstream_rejected',
  });

/** Whether the vendor wants a client to try again: its own clients obey. */
function retryHint(headers: AttemptResult['headers']): { headers?: Record<string, string> } {
  const hint = headers?.['x-should-retry'];
  return hint === 'true' || hint === 'false' ? { headers: { 'x-should-retry': hint } } : {};
}

/** Clients sleep for as long as Retry-After says, so longer waits are not passed on. */
export const MAX_RETRY_AFTER_S = 30;

/** Seconds for the caller's Retry-After header, limited. */
function retryAfterFor(ms: number | undefined, header: string | undefined): string | undefined {
  const waitMs = ms ?? parseRetryAfterMs(header, Date.now());
  return waitMs === undefined ? undefined : String(Math.min(MAX_RETRY_AFTER_S, Math.ceil(waitMs / 1000)));
}

/** Parses `Retry-After`, seconds or a date, to milliseconds; undefined: invalid. */
export function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}

export const credentialsRejected = (): RelayError =>
  new RelayError(502, 'The upstream refused the channel’s credentials. An administrator must check them.', {
    type: 'upstream_error',
    code: 'upstream_rejected',
  });

const blockedInFront = (status: number): RelayError =>
  new RelayError(
    502,
    `A server in front of the upstream's API refused the call with HTTP status ${status} and no API error.`,
    { type: 'upstream_error', code: 'bad_upstream_reply' },
  );
