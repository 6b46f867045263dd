// The database thread loads this, and has no use for the schemas.
import { PLAN_COST, PLAN_TOTAL } from '@relay-hub/contract/limit-scope';
import { deleteRows, insertRows, type RowStatements, selectRows } from '#db/row-statements.ts';
import { grantOf } from './batch-accounts.ts';
import type {
  BatchItem,
  CountAmount,
  CountRefusal,
  CountShare,
  GrantAmount,
  GrantedShare,
  GrantItem,
  GrantRefusal,
  LimitLease,
  CountNeed,
  ReturnItem,
  SettleItem,
} from './batch-items.ts';
import { callCosts } from './batch-sums.ts';
import { costShare, countedBy, firstShares, isOfPlan, tokenIn } from './limit-use.ts';

/** Use of a limit in one period, and this node's share of its leased room. */
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
  /** The lease may be more than open calls need; the same for leases of other nodes. */
  spare: boolean;
  spareElsewhere: boolean;
  /** The node has returned all that it can. */
  returned: boolean;
  isStored: boolean;
  changed: boolean;
}

/** Room that was found for a call in a limit; `keep` reserves it. */
interface Place {
  of: CountAmount;
  at: Counter;
  amount: GrantAmount;
  isUsed: boolean;
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
type LeaseRow = { scope: string; name: string; starts: number; amount: number; node: string; spare: boolean | number };

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
    return scopesOf(item).every((scope) => this.#scopes.has(scope));
  }

  /** Reads the limits of items, after the rows of their accounts were locked. */
  async read(items: readonly BatchItem[]): Promise<void> {
    const scopes = [...new Set(items.flatMap(scopesOf))].filter((scope) => !this.#scopes.has(scope));
    const [rows, leases] = await Promise.all([
      this.#rows.read<CounterRow>(
        readCounters,
        scopes.map((scope) => [scope]),
      ),
      this.#rows.read<LeaseRow>(
        readLeases,
        scopes.map((scope) => [scope]),
      ),
    ]);
    const keyOf = ({ scope, name, starts }: Pick<LeaseRow, 'scope' | 'name' | 'starts'>) =>
      `${scope} ${name} ${starts}`;
    const leased = Map.groupBy(leases, keyOf);
    for (const scope of scopes) this.#scopes.set(scope, []);
    for (const row of rows) {
      const { scope, name, starts, ends, used, held, user_id: userId } = row;
      const ofNodes = leased.get(keyOf(row)) ?? [];
      const before = ofNodes.find(({ node }) => node === this.#node);
      const mine = { lease: before?.amount ?? 0, leaseBefore: before?.amount, spare: Boolean(before?.spare) };
      const spareElsewhere = ofNodes.some(({ node, spare }) => node !== this.#node && spare);
      const state = { ...mine, spareElsewhere, returned: false, isStored: true, changed: false };
      this.#of(scope).push({ userId, name, starts, ends, used, held, ...state });
    }
  }

  /**
   * Finds room in every limit, or the limit that has none. A need of 0 passes a limit that is used up. Plans pay in their
   * order, each as much as its limits allow; a rest is refused unless `beyond` lets the balance pay it.
   */
  find({ userId }: Pick<GrantItem, 'userId'>, { amounts, plans, now }: CountNeed): Place[] | GrantRefusal {
    const places: Place[] = [];
    for (const of of amounts) {
      const at = this.#at(of, userId, now);
      if (isFull(of, at)) return refusal(of, at);
      places.push({ of, at, amount: { need: of.need, want: of.want ?? 0 }, isUsed: true });
    }
    let left = plans?.credits ?? 0;
    let full: GrantRefusal | undefined;
    for (const period of plans?.periods ?? []) {
      const found = period.map((of) => [of, this.#at(of, userId, now)] as const);
      const rooms = found.map(([of, at]) => (isCredits(of.name) ? roomOf(of, at) : isFull(of, at) ? 0 : Infinity));
      const least = Math.min(left, ...rooms);
      const part = Math.max(0, least);
      const [short, at] = found[rooms.indexOf(least)] ?? [];
      // A credit limit is short of the part that no plan pays.
      if (short && at && part < left) full ??= refusal(isCredits(short.name) ? { ...short, need: left } : short, at);
      for (const [of, counter] of found) {
        const need = isCredits(of.name) ? part : of.need;
        const amount = part > 0 ? { need, want: of.want ?? 0 } : { need: 0, want: 0 };
        places.push({ of, at: counter, amount, isUsed: part > 0 });
      }
      left -= part;
    }
    return left > 0 && full && !plans?.beyond ? full : places;
  }

  /** Leases what was found. */
  keep(places: readonly Place[]): GrantedShare[] {
    return places.map(({ of, at, amount, isUsed }) => {
      const { scope, name, limit } = of;
      const given = grantOf({ free: roomOf(of, at), lease: at.lease }, amount);
      if (isUsed) this.#keep(scope, at);
      at.held += given;
      at.lease += given;
      at.spare ||= given > amount.need;
      const share: GrantedShare = { scope, name, starts: at.starts, amount: amount.need, given, ends: at.ends };
      if (isOfPlan(scope)) share.limit = limit;
      return share;
    });
  }

  giveBack({ limits = [] }: ReturnItem): void {
    for (const share of limits) {
      this.#release(share);
      const counter = this.#find(share.scope, share.name, share.starts);
      if (!counter) continue;
      counter.spare = counter.lease > (share.kept ?? 0);
      counter.returned ||= share.kept !== undefined;
    }
  }

  /** This node's leases of all limits of the batch. */
  leases(): LimitLease[] {
    return [...this.#scopes].flatMap(([scope, counters]) =>
      counters
        .filter(({ lease, leaseBefore }) => lease > 0 || leaseBefore !== undefined)
        .map(({ userId, name, starts, ends, lease }) => ({ userId, scope, name, starts, ends, amount: lease })),
    );
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
        .filter(({ lease, leaseBefore = 0, returned }) => lease > 0 && (leaseBefore !== lease || returned))
        // Only a return answers a recall that was marked after this row was read.
        .map((row) => [...keyOf(row), this.#node, row.lease, row.userId, row.spare, isRecallKept(row)]),
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
        spare: false,
        spareElsewhere: false,
        returned: false,
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

export const isCredits = (name: string): boolean => name.startsWith('credits:');
const roomOf = ({ limit }: CountAmount, { used, held }: Counter): number => limit - used - held;
const isFull = (amount: CountAmount, counter: Counter): boolean =>
  amount.need > 0 && amount.need > roomOf(amount, counter);
function refusal({ scope, name, limit, need, isLast }: CountAmount, counter: Counter): GrantRefusal {
  const { used, held, ends, spare, spareElsewhere } = counter;
  const refused: CountRefusal = { scope, name, limit, need, used, held, ends, ...(isLast && { isLast }) };
  return { refused, leased: (spare || spareElsewhere) && limit - used >= need ? held : 0 };
}
const isRecallKept = ({ leaseBefore, returned }: Counter): boolean => leaseBefore !== undefined && !returned;

/** Whether a period is followed by another, and has no call in progress. */
const isOver = ({ name, starts, held }: Counter, counters: readonly Counter[]): boolean =>
  held <= 0 && counters.some((other) => other.name === name && other.starts > starts);

/** The sum of the parts of all plans. */
export const paidByPlans = (parts: PlanParts): number => [...parts.values()].reduce((sum, part) => sum + part, 0);

/** Credits that plans have reserved for a call. */
export const plannedCredits = (shares: readonly CountShare[] | undefined): number =>
  shares?.reduce((sum, { scope, name, amount }) => (name === PLAN_TOTAL && isOfPlan(scope) ? sum + amount : sum), 0) ??
  0;

/** All limits of a need, in the order in which they are granted. */
export const amountsIn = ({ amounts, plans }: CountNeed): CountAmount[] => [
  ...amounts,
  ...(plans?.periods.flat() ?? []),
];

function scopesOf(item: BatchItem): string[] {
  if (item.kind === 'grant') return item.limits ? amountsIn(item.limits).map(({ scope }) => scope) : [];
  const shares = item.kind === 'return' ? item.limits : item.counts;
  return shares?.map(({ scope }) => scope) ?? [];
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
  { scope: 'text' },
  {
    select: 'limit_leases.scope, limit_leases.name, starts, node, amount, spare',
    where: 'limit_leases.scope = given.scope',
  },
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
  { ...leaseKey, amount: 'bigint', user_id: 'bigint', spare: 'boolean', recalled: 'boolean' },
  'on conflict (scope, name, starts, node) do update set amount = excluded.amount, spare = excluded.spare, ' +
    'recalled = limit_leases.recalled and excluded.recalled',
);
const deleteLeases = deleteRows(
  'limit_leases',
  leaseKey,
  `${isCounter('limit_leases')} and limit_leases.node = given.node`,
);
