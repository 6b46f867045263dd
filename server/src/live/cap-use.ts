import { type CapUse, type LimitUse, subjectOf, type TokenLimits, tokenScope, windowAt } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import type { CountedCap, EffectiveCap } from './caller-limits.ts';

type Counter = { scope: string; name: string; starts: number; used: number; held: number; ends: number };

/** Counters of scopes, the latest period of each limit first. */
export const countersOf = (db: Db, scopes: readonly string[]): Promise<Counter[]> =>
  db
    .selectFrom('limit_counters')
    .where('scope', 'in', scopes)
    .select(['scope', 'name', 'starts', 'used', 'held', 'ends'])
    .orderBy('starts', 'desc')
    .execute();

/** Use of each cap of a token. */
export function capUses(
  tokenId: number,
  { caps, ...limits }: Pick<TokenLimits, 'reset' | 'time_zone'> & { caps: readonly EffectiveCap[] },
  counters: readonly Counter[],
  now: number,
): CapUse[] {
  const scope = tokenScope(tokenId);
  return caps.map(({ measure, period, amount, name, ofGroup }) => {
    const window = (at: number) => windowAt(period, limits, at);
    const { used, resets } = useOf({ scope, name, window }, counters, now);
    return {
      measure,
      period,
      amount,
      used,
      left: Math.max(0, amount - used),
      resets_time: period === 'at_once' ? 0 : resets,
      of_group: ofGroup,
    };
  });
}

/** Use of caps of several scopes. */
export async function limitUses(db: Db, caps: readonly CountedCap[], now: number): Promise<LimitUse[]> {
  if (caps.length === 0) return [];
  const counters = await countersOf(db, [...new Set(caps.map(({ scope }) => scope))]);
  return caps.map((cap) => {
    const { used, resets: resets_time } = useOf(cap, counters, now);
    const { scope, measure, period } = cap;
    const amount = cap.amount === Number.MAX_SAFE_INTEGER ? null : cap.amount;
    const left = amount === null ? null : Math.max(0, amount - used);
    return { subject: subjectOf(scope), measure, period, amount, used, left, resets_time };
  });
}

/**
 * Use of a cap by calls that have ended, and when it resets; 0: its period begins with the next call. A period that is
 * over, or has not begun, is not used. Of calls at once: what nodes hold for open calls and those to come.
 */
function useOf(
  { scope, name, window }: Pick<CountedCap, 'scope' | 'name' | 'window'>,
  counters: readonly Counter[],
  now: number,
): { used: number; resets: number } {
  const counter = counters.find((one) => one.scope === scope && one.name === name && now < one.ends);
  const next = window(now);
  // A period that begins with its first call has no end before it.
  const isFixed = next.starts !== now || window(now + 1).starts === now;
  const used = name.startsWith('calls:') ? counter?.held : counter?.used;
  return {
    used: used ?? 0,
    resets: counter?.ends ?? (isFixed ? next.ends : 0),
  };
}
