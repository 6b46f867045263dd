import {
  capName,
  type LimitWindow,
  PLAN_COST,
  PLAN_TOTAL,
  type PlanNames,
  planScope,
  type PlanTerms,
  windowAt,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { type CountedCap, matcherOf } from './caller-limits.ts';

/** A period of a plan that may pay for a caller's calls. */
export interface CallerPlan {
  /** Of the period. */
  id: number;
  name: string;
  starts: number;
  until: number;
  renews: boolean;
  /** Whether the balance pays what the plan does not. */
  beyond: boolean;
  /** Undefined: all. */
  models: ((model: string) => boolean) | undefined;
  groups: ReadonlySet<string> | undefined;
  caps: readonly CountedCap[];
}

interface PlanPeriod {
  id: number;
  starts: number;
  ends: number;
  usable_until: number;
  granted: number | null;
  rolled_over: number;
  terms: PlanTerms;
}

/** The limits of a period: its total, its windows, none of which goes past it, and the count of costs. */
export function planCaps({ id, starts, ends, usable_until, granted, rolled_over, terms }: PlanPeriod): CountedCap[] {
  const scope = planScope(id);
  const whole: LimitWindow = { starts, ends: usable_until };
  const limit = granted === null ? Number.MAX_SAFE_INTEGER : granted + rolled_over;
  const total: CountedCap = {
    scope,
    name: PLAN_TOTAL,
    measure: 'credits',
    period: 'period',
    amount: limit,
    window: () => ({ starts, ends }),
  };
  const windows = terms.windows.map((cap): CountedCap => {
    const reset = { reset: cap.reset, time_zone: terms.time_zone, anchor: starts };
    const clipped = (now: number) => {
      const window = windowAt(cap.period, reset, now);
      return { starts: Math.max(window.starts, whole.starts), ends: Math.min(window.ends, whole.ends) };
    };
    return { scope, name: capName(cap), measure: cap.measure, period: cap.period, amount: cap.amount, window: clipped };
  });
  const cost: CountedCap = { ...total, name: PLAN_COST, amount: Number.MAX_SAFE_INTEGER };
  return [total, ...windows, cost];
}

/** Clocks of nodes and database differ by less. */
const MARGIN_S = 3600;
const MOST_PLANS = 20;

/** Periods of the plans of an account, in the order in which they pay: gifts first, then the one that ends soonest. */
export async function plansOf(db: Db, accountId: number): Promise<CallerPlan[]> {
  const rows = await db
    .selectFrom('subscription_periods as period')
    .innerJoin('subscriptions as s', 's.id', 'period.subscription_id')
    .innerJoin('plans', 'plans.id', 's.plan_id')
    .innerJoin('plan_versions as version', 'version.id', 'period.version_id')
    .innerJoin('users', 'users.id', 'period.user_id')
    .where('period.user_id', '=', accountId)
    .where('period.usable_until', '>', Math.floor(Date.now() / 1000) - MARGIN_S)
    .where('period.closed', '=', false)
    .where('s.status', '=', 'active')
    .select(['period.id', 'period.starts', 'period.ends', 'period.usable_until', 'period.granted'])
    .select(['period.rolled_over', 'period.price', 's.renew', 's.beyond', 'version.terms', 'plans.names'])
    .select('users.language')
    .orderBy('period.ends')
    .orderBy('period.id')
    .limit(MOST_PLANS)
    .execute();
  const gifts = rows.filter(({ price }) => price === 0);
  const paid = rows.filter(({ price }) => price > 0);
  return [...gifts, ...paid].map(({ renew, beyond, names, language, ...period }) => {
    const { models, groups } = period.terms;
    return {
      id: period.id,
      name: nameIn(names, language),
      starts: period.starts,
      until: period.usable_until,
      renews: renew,
      beyond,
      models: models.length > 0 ? matcherOf(models) : undefined,
      groups: groups.length > 0 ? new Set(groups) : undefined,
      caps: planCaps(period),
    };
  });
}

/** The name in a language, else in any. */
const nameIn = (names: PlanNames, language: string): string =>
  [names[language as keyof PlanNames], names.en_US, ...Object.values(names)].find((name) => name) ?? '';
