import { type LimitMeasure, PLAN_COST, PLAN_TOTAL } from '@relay-hub/contract';
import type { Caller } from '#live/callers.ts';
import type { CountedCap } from '#live/caller-limits.ts';
import type { CallerPlan } from '#live/caller-plans.ts';
import type { CountAmount } from '#quota/batch-items.ts';
import type { Reservation } from '#quota/book.ts';
import type { RelayCall } from '#relay/types/call-types.ts';

/**
 * Need of a call within the limits on its path. `flat`: tokens reserved for the output when the caller names no limit.
 */
export function limitNeed(
  { limits, plans }: Pick<Caller, 'limits' | 'plans'>,
  call: RelayCall,
  flat: number,
  now: number,
): Reservation['limits'] {
  const counted = limits?.counted ?? none;
  const paying = plans && plansFor(plans, call, now);
  if (counted.length === 0 && !paying) return undefined;
  return {
    now,
    amounts: counted.map((cap) => amountOf(cap, call, flat, now)),
    plans: paying && {
      credits: call.reserved,
      beyond: paying.every(({ beyond }) => beyond),
      periods: paying.map(({ caps, renews }) =>
        caps.map((cap): CountAmount => {
          const amount = amountOf(cap, call, flat, now);
          if (cap.name === PLAN_COST) amount.need = 0;
          return cap.name === PLAN_TOTAL && !renews ? { ...amount, isLast: true } : amount;
        }),
      ),
    },
  };
}

const none: readonly CountedCap[] = [];

/** The plans that may pay for a call, in their order; undefined: none. Charges of tasks are returned later. */
function plansFor(plans: readonly CallerPlan[], call: RelayCall, now: number): CallerPlan[] | undefined {
  if (call.operation === 'tasks' || call.reserved === 0) return undefined;
  const { group, request } = call;
  const paying = plans.filter(
    ({ starts, until, models, groups }) =>
      starts <= now && now < until && groups?.has(group.symbol) !== false && models?.(request.model) !== false,
  );
  return paying.length > 0 ? paying : undefined;
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
