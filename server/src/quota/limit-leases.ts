import { amountsIn, isCredits } from './batch-counters.ts';
import type { CallLog, CountAmount, CountShare, GrantedShare, LimitLease, CountNeed } from './batch-items.ts';
import { consume, Lease, type LeaseShare, release } from './leases.ts';
import { countedBy, firstShares, isOfPlan } from './limit-use.ts';

/** A call's reservation in a limit; without `held` it is 0. */
export interface LimitShare extends CountShare {
  held: LeaseShare | undefined;
  /** Taken from the lease by the call's settlement. */
  owed: number;
}

/** This node's lease on a limit, in one period. */
export interface LimitPeriod {
  userId: number;
  readonly scope: string;
  readonly name: string;
  readonly starts: number;
  readonly ends: number;
  readonly lease: Lease;
  /** The limit for which room was leased; NaN: not known. */
  limit: number;
  /** When the database last reported the lease, on the clock of `performance`. */
  reportedMs: number;
  /** Of a plan that had no room: calls need not ask before this sweep. */
  emptyUntil: number;
}

/**
 * A lease that the database has not reported for longer may have been returned by a node that presumes this one dead: it
 * waits for twice as long.
 */
const REPORTED_MS = 30_000;
/** Sweeps for which a plan without room is not asked again while the balance pays. */
const EMPTY = 4;

/** The leases of a node on limits: of a limit in each of its periods, the latest first. */
export class LimitLeases {
  readonly #limits = new Map<string, LimitPeriod[]>();

  get size(): number {
    return this.#limits.size;
  }

  all(): LimitPeriod[] {
    return [...this.#limits.values()].flat();
  }

  /** The known periods of a limit. */
  of(limit: Pick<LimitPeriod, 'scope' | 'name'>): readonly LimitPeriod[] {
    return this.#limits.get(limitKey(limit)) ?? none;
  }

  /** The period in which a call counts, as the database decides it. */
  at(limit: Pick<LimitPeriod, 'scope' | 'name'>, now: number): LimitPeriod | undefined {
    return this.of(limit).find(({ ends }) => now < ends);
  }

  /** Reserves in every limit from the leases; undefined if the database has to be asked. `sweep`: the clock of leases. */
  take({ amounts, plans, now }: CountNeed, sweep: number): LimitShare[] | undefined {
    const places: [of: CountAmount, period: LimitPeriod, amount: number][] = [];
    const oldestMs = performance.now() - REPORTED_MS;
    for (const of of amounts) {
      const period = this.at(of, now);
      if (!period || !covers(period, of.limit, of.need, oldestMs)) return undefined;
      places.push([of, period, of.need]);
    }
    let left = plans?.credits ?? 0;
    for (const limits of plans?.periods ?? []) {
      let pays = left > 0;
      let isEmpty = false;
      const first = places.length;
      for (const of of limits) {
        const period = this.at(of, now);
        if (!period) return undefined;
        const amount = isCredits(of.name) ? left : of.need;
        pays &&= covers(period, of.limit, amount, oldestMs);
        isEmpty ||= period.emptyUntil > sweep;
        places.push([of, period, amount]);
      }
      if (left > 0 && !pays && !isEmpty) return undefined;
      if (pays) left = 0;
      else for (const place of places.slice(first)) place[2] = 0;
    }
    if (left > 0 && plans?.beyond === false) return undefined;
    return places.map(([of, { starts, lease }, amount]) => {
      lease.use(sweep);
      return shareOf(of, starts, amount, amount > 0 ? lease.setAside(amount) : undefined);
    });
  }

  /** The need of a call, and what the leases want beyond it. */
  wanting(need: CountNeed, sweep: number): CountNeed {
    const { now, plans } = need;
    const wanting = (of: CountAmount): CountAmount =>
      of.need === 0 ? of : { ...of, want: (this.at(of, now)?.lease ?? new Lease()).wanted(of.need, sweep) };
    return {
      now,
      amounts: need.amounts.map(wanting),
      plans: plans && { ...plans, periods: plans.periods.map((limits) => limits.map(wanting)) },
    };
  }

  /** Further need of the leases of a call that run low; undefined: none does. */
  wantingMore(need: CountNeed, sweep: number): CountNeed | undefined {
    const amounts = amountsIn(need).flatMap((of) => {
      const lease = this.at(of, need.now)?.lease;
      return lease?.runsLow ? [{ ...of, need: 0, want: lease.wanted(of.need, sweep) }] : [];
    });
    return amounts.length > 0 ? { now: need.now, amounts } : undefined;
  }

  /** Records what was granted for `need`, and reserves the call's part of it. */
  given(userId: number, need: CountNeed, granted: readonly GrantedShare[], sweep: number): LimitShare[] {
    const shares = granted.values();
    const given = (of: CountAmount): LimitShare[] => {
      const share = shares.next().value;
      if (!share) return [];
      const { amount, starts } = share;
      const period = this.#made({ userId, ...share });
      period.limit = of.limit;
      const isAsked = amount > 0 || (of.need === 0 && (of.want ?? 0) > 0);
      const plenty = isAsked && period.lease.given(share.given, amount, sweep);
      period.lease.use(sweep);
      return [shareOf(of, starts, amount, amount > 0 ? period.lease.setAside(amount, !plenty) : undefined)];
    };
    const all = need.amounts.flatMap(given);
    let left = need.plans?.credits ?? 0;
    for (const limits of need.plans?.periods ?? []) {
      const found = limits.flatMap(given);
      const paid = found.reduce((most, { name, amount }) => (isCredits(name) ? Math.max(most, amount) : most), 0);
      if (left > 0 && paid === 0)
        for (const of of limits) for (const period of this.of(of)) period.emptyUntil = sweep + EMPTY;
      left -= paid;
      all.push(...found);
    }
    return all;
  }

  /** Sets the lease that a batch has reported. */
  setTotal(reported: LimitLease): void {
    const { amount, starts } = reported;
    const period = amount > 0 ? this.#made(reported) : this.of(reported).find((one) => one.starts === starts);
    if (!period) return;
    period.userId = reported.userId;
    period.lease.total = amount;
    period.reportedMs = performance.now();
  }

  forget(period: LimitPeriod): void {
    const others = this.of(period).filter((one) => one !== period);
    if (others.length > 0) this.#limits.set(limitKey(period), others);
    else this.#limits.delete(limitKey(period));
  }

  #made({
    userId,
    scope,
    name,
    starts,
    ends,
  }: Pick<LimitPeriod, 'userId' | 'scope' | 'name' | 'starts' | 'ends'>): LimitPeriod {
    const known = this.of({ scope, name });
    const found = known.find((one) => one.starts === starts);
    if (found) return found;
    const state = { lease: new Lease(), limit: Number.NaN, reportedMs: performance.now(), emptyUntil: 0 };
    const period: LimitPeriod = { userId, scope, name, starts, ends, ...state };
    this.#limits.set(
      limitKey(period),
      [...known, period].toSorted((a, b) => b.starts - a.starts),
    );
    return period;
  }
}

/** Ends the reservations of a call; returns what its settlement takes from the leases, and counts. */
export function consumeShares(
  shares: readonly LimitShare[],
  credits: number,
  log: Pick<CallLog, 'promptTokens' | 'completionTokens'>,
): CountShare[] {
  const counting = new Set<CountShare>(firstShares(shares));
  return shares.map((share) => {
    const { scope, name, starts, limit, held } = share;
    const { take, back } = consume(held, counting.has(share) ? countedBy(name, credits, log) : 0);
    share.owed = take + back;
    return { scope, name, starts, amount: share.owed, ...(limit !== undefined && { limit }) };
  });
}

/** Ends the reservations of a call that is not made. */
export function releaseShares(shares: readonly LimitShare[]): void {
  for (const { held } of shares) if (held) release(held);
}

/** Adds a later reservation of the same call; where another period has begun, it is held until the call's end. */
export function joinShares(shares: LimitShare[], more: readonly LimitShare[]): LimitShare[] {
  for (const share of more) {
    const { scope, name, starts, amount, held } = share;
    const had = shares.find((one) => one.scope === scope && one.name === name && one.starts === starts);
    if (!had) {
      shares.push(share);
      continue;
    }
    had.amount += amount;
    if (had.held && held) had.held.credits += held.credits;
    else had.held ??= held;
  }
  return shares;
}

/** A call's share of a limit. */
export const shareOf = (
  { scope, name, limit }: CountAmount,
  starts: number,
  amount: number,
  held: LeaseShare | undefined,
): LimitShare => ({ scope, name, starts, amount, held, owed: 0, ...(isOfPlan(scope) && { limit }) });

export const limitKey = ({ scope, name }: Pick<LimitPeriod, 'scope' | 'name'>): string => `${scope} ${name}`;

function covers({ lease, limit, reportedMs }: LimitPeriod, now: number, amount: number, oldestMs: number): boolean {
  return amount === 0 || (lease.free >= amount && limit === now && reportedMs >= oldestMs);
}

const none: readonly LimitPeriod[] = [];
