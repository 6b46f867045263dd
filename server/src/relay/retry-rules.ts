import type { Sent } from './sent.ts';
import type { Verdict } from './verdict.ts';

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
export function isWorthRetry(sent: Sent, verdict: Verdict): boolean {
  if (verdict.outcome !== 'failed') return false;
  if (verdict.result !== 'upstream_status' && !verdict.refused) return resultRules[verdict.result] ?? false;
  const status = statusOf(sent, verdict);
  return statusRules.find(({ from, to }) => status >= from && status <= to)?.retry ?? false;
}

/** The status that an answer means: the vendor's own words can tell better than the one it came with. */
const statusOf = (sent: Sent, { refused }: Verdict): number => refused?.status ?? sent.status;

/** Whether it is the key, or what it may still use, that was refused: another key of the channel may do. */
export function isOfKey(sent: Sent, verdict: Verdict): boolean {
  const status = statusOf(sent, verdict);
  return sent.failure?.code === 'key_unusable' || status === 401 || status === 402 || status === 403 || status === 429;
}

/** How long the upstream asks to be left alone, in its headers or its own words. */
export function askedWaitMs(sent: Sent, verdict: Verdict, nowMs: number): number | undefined {
  const status = statusOf(sent, verdict);
  if (status !== 429 && status !== 503) return undefined;
  return verdict.refused?.retryAfterMs ?? retryAfterMs(sent.retryAfter, nowMs);
}

/** What a `Retry-After` header asks for: seconds, or a date. Undefined where it says neither. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
