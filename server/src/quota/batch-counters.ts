// The database thread loads this, and has no use for the schemas.
import { PLAN_COST, PLAN_TOTAL } from '@relay-hub/contract/limit-scope';
import { deleteRows, insertRows, type RowStatements, selectRows } from '#db/row-statements.ts';
import type {
  BatchItem,
  CountAmount,
  Counted,
  CountItem,
  CountRefusal,
  CountShare,
  SettleItem,
  UncountItem,
} from './batch-items.ts';
import { callCosts } from './batch-sums.ts';
import { costShare, countedBy, firstShares, isOfPlan, tokenIn } from './limit-use.ts';

/** Use of a limit in one period, and this node's part of the reservations of open calls. */
interface Counter {
  userId: number;
  name: string;
  starts: number;
  ends: number;
  used: number;
  held: number;
  /** This node's lease. */
  lease: number;
  /** The lease in the database; undefined: there is no row. */
  leaseBefore: number | undefined;
  isStored: boolean;
  changed: boolean;
}

type CounterRow = {
  scope: string;
  name: string;
  starts: number;
  ends: number;
  used: number;
  held: number;
  user_id: number;
};
type LeaseRow = { scope: string; name: string; starts: number; amount: number };

/** Credits of a call that plans pay, by the scope of their periods. */
export type PlanParts = ReadonlyMap<string, number>;
const noParts: PlanParts = new Map();

/**
 * The limits on the paths of a batch's calls, read once and written once. All limits of a call belong to its account, so
 * the lock on the account's row, which `Accounts` takes first, guards them.
 */
export class Counters {
  readonly #rows: RowStatements;
  readonly #node: string;
  readonly #scopes = new Map<string, Counter[]>();

  constructor(rows: RowStatements, node: string) {
    this.#rows = rows;
    this.#node = node;
  }

  /** Whether an item's rows have been read, or it needs none. */
  has(item: BatchItem): boolean {
    if (item.kind === 'uncount' && item.whole) return false;
    return scopesOf(item).every((scope) => this.#scopes.has(scope));
  }

  /** Reads the limits of items, after the rows of their accounts were locked. */
  async read(items: readonly BatchItem[]): Promise<void> {
    const wanted = new Set(items.flatMap(scopesOf));
    const wholes = items.flatMap((item) => (item.kind === 'uncount' && item.whole ? [[item.userId, this.#node]] : []));
    if (wholes.length > 0)
      for (const { scope } of await this.#rows.read<{ scope: string }>(readScopes, wholes)) wanted.add(scope);
    const scopes = [...wanted].filter((scope) => !this.#scopes.has(scope));
    const [rows, leases] = await Promise.all([
      this.#rows.read<CounterRow>(
        readCounters,
        scopes.map((scope) => [scope]),
      ),
      this.#rows.read<LeaseRow>(
        readLeases,
        scopes.map((scope) => [scope, this.#node]),
      ),
    ]);
    const keyOf = ({ scope, name, starts }: Pick<LeaseRow, 'scope' | 'name' | 'starts'>) =>
      `${scope} ${name} ${starts}`;
    const leased = new Map(leases.map((row) => [keyOf(row), row.amount]));
    for (const scope of scopes) this.#scopes.set(scope, []);
    for (const row of rows) {
      const { scope, name, starts, ends, used, held, user_id: userId } = row;
      const leaseBefore = leased.get(keyOf(row));
      const state = { lease: leaseBefore ?? 0, leaseBefore, isStored: true, changed: false };
      this.#of(scope).push({ userId, name, starts, ends, used, held, ...state });
    }
  }

  /**
   * Reserves room in every limit, or in none. A need of 0 passes a limit that is used up. Plans pay in their order, each
   * as much as its limits allow; a rest is refused unless `beyond` lets the balance pay it.
   */
  count(item: CountItem): Counted {
    const { amounts, plans, userId, now } = item;
    const places: [CountAmount, Counter, amount: number, isUsed: boolean][] = [];
    for (const amount of amounts) {
      const counter = this.#at(amount, userId, now);
      if (isFull(amount, counter)) return refusal(amount, counter);
      places.push([amount, counter, amount.need, true]);
    }
    let left = plans?.credits ?? 0;
    let full: CountRefusal | undefined;
    for (const period of plans?.periods ?? []) {
      const found = period.map((amount) => [amount, this.#at(amount, userId, now)] as const);
      const rooms = found.map(([of, at]) => (isCredits(of.name) ? roomOf(of, at) : isFull(of, at) ? 0 : Infinity));
      const least = Math.min(left, ...rooms);
      const part = Math.max(0, least);
      const [amount, counter] = found[rooms.indexOf(least)] ?? [];
      // A credit limit is short of the part that no plan pays.
      if (amount && counter && part < left)
        full ??= refusal(isCredits(amount.name) ? { ...amount, need: left } : amount, counter);
      for (const [of, at] of found) places.push([of, at, isCredits(of.name) ? part : part > 0 ? of.need : 0, part > 0]);
      left -= part;
    }
    if (left > 0 && full && !plans?.beyond) return full;
    return places.map(([{ scope, name, limit }, counter, amount, isUsed]) => {
      if (isUsed) this.#keep(scope, counter);
      counter.held += amount;
      counter.lease += amount;
      const share: CountShare = { scope, name, starts: counter.starts, amount };
      if (isOfPlan(scope)) share.limit = limit;
      return share;
    });
  }

  giveBack({ userId, shares, whole }: UncountItem): void {
    if (!whole) {
      for (const share of shares) this.#release(share);
      return;
    }
    for (const [scope, counters] of this.#scopes)
      for (const counter of counters) {
        const { name, starts, lease } = counter;
        if (counter.userId !== userId) continue;
        const still =
          shares.find((one) => one.scope === scope && one.name === name && one.starts === starts)?.amount ?? 0;
        if (lease === still) continue;
        counter.held += still - lease;
        counter.lease = still;
        counter.changed = true;
      }
  }

  /**
   * Ends the reservations of a call, and returns what plans pay of its cost: each as much as its limits allow now, in
   * the periods in which the call was admitted.
   */
  release({ counts, credits }: Pick<SettleItem, 'counts' | 'credits'>): PlanParts {
    if (!counts) return noParts;
    for (const share of counts) this.#release(share);
    const plans = Map.groupBy(
      firstShares(counts).filter(({ scope }) => isOfPlan(scope)),
      ({ scope }) => scope,
    );
    const parts = new Map<string, number>();
    let left = credits;
    for (const [scope, shares] of plans) {
      const rooms = shares.filter(({ name }) => isCredits(name)).map((share) => this.#roomAt(share));
      const part = Math.max(0, Math.min(left, ...rooms));
      if (part > 0) parts.set(scope, part);
      left -= part;
    }
    return parts;
  }

  /** Counts what a call has used, in the periods in which it was admitted. Call `release` first. */
  settle({ counts = [], log }: SettleItem, whole: number, parts: PlanParts): void {
    for (const { scope, name, starts } of firstShares(counts)) {
      const counter = this.#find(scope, name, starts);
      const credits = isOfPlan(scope) ? parts.get(scope) : whole;
      if (!counter || credits === undefined) continue;
      const cost = name === PLAN_COST ? costShare(callCosts(log)?.total ?? 0, credits, whole) : 0;
      counter.used += countedBy(name, credits, { ...log, cost });
      counter.changed = true;
    }
  }

  write(): void {
    const all = [...this.#scopes].flatMap(([scope, counters]) =>
      counters.map((counter) => ({ scope, isOver: isOver(counter, counters), ...counter })),
    );
    const keyOf = ({ scope, name, starts }: (typeof all)[number]) => [scope, name, starts];
    const isKept = ({ isOver: over, changed }: (typeof all)[number]) => changed && !over;
    this.#rows.write(
      writeCounters,
      all.filter(isKept).map((row) => [...keyOf(row), row.ends, row.used, row.held, row.userId, tokenIn([row])]),
    );
    this.#rows.write(deleteCounters, all.filter(({ isOver: over, isStored }) => over && isStored).map(keyOf));
    this.#rows.write(
      writeLeases,
      all
        .filter(({ lease, leaseBefore = 0 }) => lease > 0 && leaseBefore !== lease)
        .map((row) => [...keyOf(row), this.#node, row.lease, row.userId]),
    );
    this.#rows.write(
      deleteLeases,
      all
        .filter(({ lease, leaseBefore }) => lease === 0 && leaseBefore !== undefined)
        .map((row) => [...keyOf(row), this.#node]),
    );
  }

  #of(scope: string): Counter[] {
    const counters = this.#scopes.get(scope);
    if (!counters) throw new Error(`the limits of ${scope} were not read`);
    return counters;
  }

  #find(scope: string, name: string, starts: number): Counter | undefined {
    return this.#of(scope).find((counter) => counter.name === name && counter.starts === starts);
  }

  /** The counter of a limit. A period that is running is not cut; a new one is not kept before a call counts in it. */
  #at({ scope, name, starts, ends }: CountAmount, userId: number, now: number): Counter {
    let found: Counter | undefined;
    for (const counter of this.#of(scope))
      if (counter.name === name && now < counter.ends && counter.starts >= (found?.starts ?? 0)) found = counter;
    return (
      found ??
      this.#find(scope, name, starts) ?? {
        userId,
        name,
        starts,
        ends,
        used: 0,
        held: 0,
        lease: 0,
        leaseBefore: undefined,
        isStored: false,
        changed: false,
      }
    );
  }

  #keep(scope: string, counter: Counter): void {
    counter.changed = true;
    const counters = this.#of(scope);
    if (!counters.includes(counter)) counters.push(counter);
  }

  /** Ends a reservation, also of a period that is over. */
  #release({ scope, name, starts, amount }: CountShare): void {
    const counter = this.#find(scope, name, starts);
    const back = Math.min(amount, counter?.lease ?? 0);
    if (!counter || back <= 0) return;
    counter.lease -= back;
    counter.held -= back;
    counter.changed = true;
  }

  /** Room in the period of a share. A reservation in a period without a row, which a dead node left, stays paid. */
  #roomAt({ scope, name, starts, amount, limit = Infinity }: CountShare): number {
    const counter = this.#find(scope, name, starts);
    return counter ? limit - counter.used - counter.held : amount;
  }
}

const isCredits = (name: string): boolean => name.startsWith('credits:');
const roomOf = ({ limit }: CountAmount, { used, held }: Counter): number => limit - used - held;
const isFull = (amount: CountAmount, counter: Counter): boolean =>
  amount.need > 0 && amount.need > roomOf(amount, counter);
const refusal = ({ scope, name, limit, need, isLast }: CountAmount, { used, held, ends }: Counter): CountRefusal => ({
  scope,
  name,
  limit,
  need,
  used,
  held,
  ends,
  ...(isLast && { isLast }),
});

/** Whether a period is followed by another, and has no call in progress. */
const isOver = ({ name, starts, held }: Counter, counters: readonly Counter[]): boolean =>
  held <= 0 && counters.some((other) => other.name === name && other.starts > starts);

/** The sum of the parts of all plans. */
export const paidByPlans = (parts: PlanParts): number => [...parts.values()].reduce((sum, part) => sum + part, 0);

/** Credits that plans have reserved for a call. */
export const plannedCredits = (shares: readonly CountShare[] | undefined): number =>
  shares?.reduce((sum, { scope, name, amount }) => (name === PLAN_TOTAL && isOfPlan(scope) ? sum + amount : sum), 0) ??
  0;

function scopesOf(item: BatchItem): string[] {
  if (item.kind === 'count') return [...item.amounts, ...(item.plans?.periods.flat() ?? [])].map(({ scope }) => scope);
  if (item.kind === 'uncount') return item.shares.map(({ scope }) => scope);
  return item.kind === 'settle' && item.counts ? item.counts.map(({ scope }) => scope) : [];
}

const readCounters = selectRows(
  'limit_counters',
  { scope: 'text' },
  {
    select: 'limit_counters.scope, limit_counters.name, starts, ends, used, held, user_id',
    where: 'limit_counters.scope = given.scope',
  },
);
const readLeases = selectRows(
  'limit_leases',
  { scope: 'text', node: 'text' },
  {
    select: 'limit_leases.scope, limit_leases.name, starts, amount',
    where: 'limit_leases.scope = given.scope and limit_leases.node = given.node',
  },
);
const readScopes = selectRows(
  'limit_leases',
  { user_id: 'bigint', node: 'text' },
  { select: 'distinct scope', where: 'limit_leases.user_id = given.user_id and limit_leases.node = given.node' },
);
const counterKey = { scope: 'text', name: 'text', starts: 'bigint' } as const;
const isCounter = (table: string) =>
  `${table}.scope = given.scope and ${table}.name = given.name and ${table}.starts = given.starts`;
const writeCounters = insertRows(
  'limit_counters',
  { ...counterKey, ends: 'bigint', used: 'bigint', held: 'bigint', user_id: 'bigint', token_id: 'bigint' },
  'on conflict (scope, name, starts) do update set ends = excluded.ends, used = excluded.used, held = excluded.held',
);
const deleteCounters = deleteRows('limit_counters', counterKey, isCounter('limit_counters'));
const leaseKey = { ...counterKey, node: 'text' } as const;
const writeLeases = insertRows(
  'limit_leases',
  { ...leaseKey, amount: 'bigint', user_id: 'bigint' },
  'on conflict (scope, name, starts, node) do update set amount = excluded.amount',
);
const deleteLeases = deleteRows(
  'limit_leases',
  leaseKey,
  `${isCounter('limit_leases')} and limit_leases.node = given.node`,
);
