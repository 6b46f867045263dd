import type { LiveChannel } from '#live/routing-table.ts';
import type { Operation } from '#providers/operation.ts';
import type { CallRequest, ChannelChoice, Verdict } from '#relay/call/types.ts';
import type { AttemptResult } from '#relay/upstream/attempt-result.ts';

/** For so long a channel whose upstream has no `/v1/responses` is asked in chats. */
const REMEMBERED_MS = 60 * 60_000;

/** Until when, by channel; a change of any channel replaces them all, and what is known is learnt again. */
const unsupportedUntil = new WeakMap<LiveChannel, number>();

/**
 * Whether an attempt failed because the upstream knows nothing of `/v1/responses`, which many that are compatible with
 * OpenAI do not: chats are another way to the same. That it does not know the model is something else.
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

/** Remembers it. */
export const noteWithoutResponses = (channel: LiveChannel, nowMs: number): void =>
  void unsupportedUntil.set(channel, nowMs + REMEMBERED_MS);

/** Whether a way to a channel is known to lead nowhere now. */
export const isUnsupported = (channel: LiveChannel, { dialect }: Operation): boolean =>
  dialect === 'responses' && (unsupportedUntil.get(channel) ?? 0) > Date.now();
