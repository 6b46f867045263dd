import type { Sent } from './send.ts';
import type { Verdict } from './judge.ts';

/**
 * Which failures another channel might not have. A client's own mistake is refused by every channel alike; an upstream's
 * refusal of the channel's key, a missing model, a limit and a breakdown are of that channel.
 */
const statusRules: readonly { from: number; to: number; retry: boolean }[] = [
  { from: 300, to: 399, retry: true },
  { from: 401, to: 404, retry: true },
  { from: 408, to: 408, retry: true },
  { from: 409, to: 409, retry: true },
  { from: 425, to: 425, retry: true },
  { from: 429, to: 429, retry: true },
  { from: 400, to: 499, retry: false },
  { from: 500, to: 599, retry: true },
];

/** The same for failures without such a status, by the code that the attempt's line in the log tells. */
const resultRules: Readonly<Record<string, boolean>> = {
  key_unusable: true,
  connect_failed: true,
  timeout: true,
  first_token_timeout: true,
  total_timeout: false,
  stream_broken: true,
  error_in_stream: true,
  error_in_reply: true,
  bad_reply: true,
  reply_too_large: false,
  client_gone: false,
};

/** Whether another channel is worth asking after an attempt that failed, as far as the failure goes. */
export function isWorthRetry(sent: Sent, { outcome, result }: Verdict): boolean {
  if (outcome !== 'failed') return false;
  if (result !== 'upstream_status') return resultRules[result] ?? false;
  return statusRules.find(({ from, to }) => sent.status >= from && sent.status <= to)?.retry ?? false;
}

/** Whether it is the key, or what it may still use, that was refused: another key of the channel may do. */
export const isOfKey = ({ status, failure }: Sent): boolean =>
  failure?.code === 'key_unusable' || status === 401 || status === 402 || status === 403 || status === 429;

/** What a `Retry-After` header asks for: seconds, or a date. Undefined where it says neither. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
