import type { LiveChannel } from '#live/routing-table.ts';
import type { Operation } from '#providers/operation.ts';
import type { CallRequest, ChannelChoice, Verdict } from '#relay/types/call-types.ts';
import type { AttemptResult } from '#relay/types/attempt-result.ts';

/** How long a channel without `/v1/responses` is called by chat completions. */
const REMEMBERED_MS = 60 * 60_000;

/** Expiry by channel. Any change of channels replaces the keys, and it is learnt again. */
const unsupportedUntil = new WeakMap<LiveChannel, number>();

/**
 * Whether the upstream lacks `/v1/responses`, as many OpenAI-compatible servers do. An unknown model is another matter.
 */
export function lacksResponses(
  { dialect }: Pick<CallRequest, 'dialect'>,
  { operation, upstreamModel }: ChannelChoice,
  { status }: AttemptResult,
  { outcome, upstreamRefusal: refused, message = '' }: Verdict,
): boolean {
  if (dialect !== 'responses' || operation.dialect !== 'responses' || outcome !== 'failed') return false;
  if (status !== 404 && status !== 405 && status !== 501) return false;
  return !/model|deployment/i.test(refused?.code ?? '') && !message.includes(upstreamModel);
}

export const noteWithoutResponses = (channel: LiveChannel, nowMs: number): void =>
  void unsupportedUntil.set(channel, nowMs + REMEMBERED_MS);

/** Whether an operation is known to be missing at a channel. */
export const isUnsupported = (channel: LiveChannel, { dialect }: Operation): boolean =>
  dialect === 'responses' && (unsupportedUntil.get(channel) ?? 0) > Date.now();
