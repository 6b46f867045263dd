import type { CallerPlan } from '#live/caller-plans.ts';
import { type CapUse, type LimitUse, PLAN_COST, tokenScope } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { capUses, countersOf, limitUses } from '#live/cap-use.ts';
import type { Caller } from '#live/callers.ts';

/** Use of the caps of a caller's account, member and cost centre. */
export async function otherUses(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { limits, tokenId }: Caller,
): Promise<LimitUse[]> {
  const caps = limits?.counted.filter(({ scope }) => scope !== tokenScope(tokenId)) ?? [];
  return caps.length === 0 ? [] : limitUses(db, caps, now());
}

/** The plans of a caller that are running, with the use of their limits. */
export async function planUses(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { plans = [] }: Caller,
): Promise<{ plan: CallerPlan; uses: LimitUse[] }[]> {
  const running = plans.filter(({ starts, until }) => starts <= now() && now() < until);
  const found: { plan: CallerPlan; uses: LimitUse[] }[] = [];
  for (const plan of running) {
    const caps = plan.caps.filter(({ name }) => name !== PLAN_COST);
    found.push({ plan, uses: await limitUses(db, caps, now()) });
  }
  return found;
}

/** Use of the caps of a caller's token. */
export async function usesOf({ db, now }: Pick<Deps, 'db' | 'now'>, { limits, tokenId }: Caller): Promise<CapUse[]> {
  if (!limits || limits.caps.length === 0) return [];
  return capUses(tokenId, limits, await countersOf(db, [tokenScope(tokenId)]), now());
}
