import { type CapUse, type TokenLimits, windowAt } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { EffectiveCap } from './caller-limits.ts';

type Counter = { token_id: number; name: string; used: number; held: number; ends: number };

/** Counters of tokens. */
export const countersOf = (db: Db, tokenIds: readonly number[]): Promise<Counter[]> =>
  db
    .selectFrom('limit_counters')
    .where('token_id', 'in', tokenIds)
    .select(['token_id', 'name', 'used', 'held', 'ends'])
    .execute();

/** Use of each cap of a token. A period that is over, or has not begun, is not used. */
export function capUses(
  caps: readonly EffectiveCap[],
  limits: Pick<TokenLimits, 'reset' | 'time_zone'>,
  counters: readonly Counter[],
  now: number,
): CapUse[] {
  return caps.map(({ measure, period, amount, name, ofGroup }) => {
    const counter = counters.find((one) => one.name === name && now < one.ends);
    const used = counter ? counter.used + counter.held : 0;
    const next = windowAt(period, limits, now);
    // A period that begins with its first call has no end before it.
    const isFixed = next.starts !== now || period === 'minute';
    return {
      measure,
      period,
      amount,
      used,
      left: Math.max(0, amount - used),
      resets_time: period === 'at_once' ? 0 : (counter?.ends ?? (isFixed ? next.ends : 0)),
      of_group: ofGroup,
    };
  });
}
