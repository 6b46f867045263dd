import type { LimitMeasure } from '@relay-hub/contract';
import type { Caller } from '#live/callers.ts';
import type { CountedCap } from '#live/caller-limits.ts';
import type { CountAmount } from '#quota/batch-items.ts';
import type { Reservation } from '#quota/book.ts';
import type { RelayCall } from '#relay/types/call-types.ts';

/**
 * Need of a call within the limits on its path. `flat`: tokens reserved for the output when the caller names no limit.
 */
export function limitNeed({ limits }: Caller, call: RelayCall, flat: number, now: number): Reservation['limits'] {
  if (!limits || limits.counted.length === 0) return undefined;
  return { now, amounts: limits.counted.map((cap) => amountOf(cap, call, flat, now)) };
}

const amountOf = (cap: CountedCap, call: RelayCall, flat: number, now: number): CountAmount => ({
  scope: cap.scope,
  name: cap.name,
  limit: cap.amount,
  need: needOf(cap.measure, cap.amount, call, flat),
  ...cap.window(now),
});

function needOf(measure: LimitMeasure, limit: number, { reserved, request }: RelayCall, flat: number): number {
  if (measure === 'credits') return reserved;
  if (measure !== 'tokens') return 1;
  const { inputTokens, outputLimit } = request;
  // A call that names more than the whole limit runs alone.
  return Math.max(1, Math.min(limit, inputTokens + (outputLimit ?? flat)));
}
