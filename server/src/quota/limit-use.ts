import { idOfScope, subjectOf } from '@relay-hub/contract/limit-scope';
import type { CountShare } from './batch-items.ts';

/** How much a finished call counts towards a limit, by the limit's name. A call in progress counts only until its end. */
export function countedBy(
  name: string,
  credits: number,
  { promptTokens, completionTokens, cost = 0 }: { promptTokens: number; completionTokens: number; cost?: number },
): number {
  const measure = name.slice(0, name.indexOf(':'));
  if (measure === 'credits') return credits;
  if (measure === 'cost') return cost;
  if (measure === 'tokens') return promptTokens + completionTokens;
  return measure === 'requests' ? 1 : 0;
}

/** The token among the scopes of a call; 0: none. */
export const tokenIn = (limits: readonly { scope: string }[]): number => {
  const scope = limits.find((limit) => subjectOf(limit.scope) === 'token')?.scope;
  return scope === undefined ? 0 : idOfScope(scope);
};

/** The part of a call's purchase cost that belongs to the part of its price that a plan pays. */
export const costShare = (cost: number, part: number, whole: number): number =>
  whole > 0 ? Math.round((cost * part) / whole) : 0;

export const isOfPlan = (scope: string): boolean => subjectOf(scope) === 'plan';

/**
 * The shares whose periods a call counts in: the first of each limit. Of a plan, the first that holds something, because
 * the call may have begun when the plan had no room.
 */
export function firstShares(shares: readonly CountShare[]): CountShare[] {
  const first = new Map<string, CountShare>();
  for (const share of shares) {
    const key = `${share.scope} ${share.name}`;
    const known = first.get(key);
    if (!known || (isOfPlan(share.scope) && known.amount === 0 && share.amount > 0)) first.set(key, share);
  }
  return [...first.values()];
}

/** A period in which a call counts. Without a scope: of the call's token. */
export type CountedPeriod = [name: string, starts: number] | [name: string, starts: number, scope: string];

/** The periods in which a call counts, for its log row. */
export const countedIn = (shares: readonly CountShare[]): CountedPeriod[] =>
  firstShares(shares)
    .filter(({ name }) => !name.startsWith('calls:'))
    .map(({ scope, name, starts }) => (subjectOf(scope) === 'token' ? [name, starts] : [name, starts, scope]));
