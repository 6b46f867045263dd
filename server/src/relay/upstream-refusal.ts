import type { Refusal } from '#live/auto-switch.ts';
import type { UpstreamError } from '#providers/provider.ts';
import { readUpstreamError } from '#providers/upstream-errors.ts';
import { masked } from '#secrets.ts';
import type { Choice } from './choose.ts';
import { RelayError } from './relay-error.ts';
import type { Sent } from './sent.ts';

/** What an upstream said no with, masked: it goes into rows, logs and answers. */
export interface Refused extends Refusal {
  retryAfterMs: number | undefined;
}

/** A text without the channel's secrets, of which an upstream may repeat any. */
export const maskedFor = ({ key: { key, headers } }: Choice, text: string): string =>
  masked(text, key, ...key.split('|'), ...Object.values(headers));

/** The same of an upstream's words, no longer than a row should be. */
export const cleaned = (choice: Choice, text: string): string => maskedFor(choice, text).slice(0, 1000);

/** The error in an answer, as its provider's own reader has it; undefined: none. */
export function refusedIn(choice: Choice, { status, headers }: Sent, json: unknown): Refused | undefined {
  const read = choice.channel.provider.error ?? readUpstreamError;
  const told = read({ status, json, ...(headers && { headers }) });
  return told && clean(choice, told);
}

function clean(choice: Choice, { message, type, code, param, status, retryAfterMs }: UpstreamError): Refused {
  const masking = (text: string | undefined) => (text === undefined ? undefined : cleaned(choice, text));
  return {
    message: cleaned(choice, message),
    type: masking(type),
    code: masking(code),
    param: masking(param),
    status,
    retryAfterMs,
  };
}

/** Stands for an error that came with a success status and says nothing of one that it means. */
export const UNKNOWN_STATUS = 502;

/** The same where the vendor's names for it are not known. */
export const withoutWords = (choice: Choice, message: string, status = UNKNOWN_STATUS): Refused => ({
  message: cleaned(choice, message),
  status,
  type: undefined,
  code: undefined,
  param: undefined,
  retryAfterMs: undefined,
});

/** What the caller is told of it. */
export function refusalFor({ status, type, code, param, message, retryAfterMs }: Refused, sent: Sent): RelayError {
  // The channel's key or account is at fault, which is the operator's business, not the caller's key.
  if (status === 401 || status === 402 || status === 403) return rejected();
  const waitS = retryAfterMs === undefined ? undefined : String(Math.ceil(retryAfterMs / 1000));
  const retryAfter = sent.retryAfter ?? waitS;
  // Some vendors repeat the status where others have a name for the error.
  const named = code !== undefined && code !== String(status) ? code : 'upstream_status';
  return new RelayError(status >= 400 ? status : 502, type ?? 'upstream_error', named, message, {
    ...(retryAfter !== undefined && { retryAfter }),
    ...(param !== undefined && { param }),
  });
}

export const rejected = (): RelayError =>
  new RelayError(
    502,
    'upstream_error',
    'upstream_rejected',
    'The upstream refused the channel’s credentials. The administrator has to look at it.',
  );
