import { type LimitMeasure, windowAt } from '@relay-hub/contract';
import type { CallerLimits } from '#live/caller-limits.ts';
import type { Reservation } from '#quota/book.ts';
import type { RelayCall } from '#relay/types/call-types.ts';

/**
 * Need of a call within each limit of its token. `flat`: tokens reserved for the output when the caller names no limit.
 */
export function limitNeed(limits: CallerLimits, call: RelayCall, flat: number, now: number): Reservation['limits'] {
  if (limits.caps.length === 0) return undefined;
  return {
    now,
    amounts: limits.caps.map(({ name, measure, period, amount }) => ({
      name,
      limit: amount,
      need: needOf(measure, amount, call, flat),
      ...windowAt(period, limits, now),
    })),
  };
}

function needOf(measure: LimitMeasure, limit: number, { reserved, request }: RelayCall, flat: number): number {
  if (measure === 'credits') return reserved;
  if (measure !== 'tokens') return 1;
  const { inputTokens, outputLimit } = request;
  // A call that names more than the whole limit runs alone.
  return Math.max(1, Math.min(limit, inputTokens + (outputLimit ?? flat)));
}
