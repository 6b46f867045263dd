import type { RunStatement } from '#db/transaction-script.ts';
import type { CountAmount, Counted, CountItem, CountShare, SettleItem, UncountItem } from './batch-items.ts';
import { countedBy } from './limit-use.ts';

/** Use of one limit in its current period, and this node's part of the reservations of open calls. */
interface Counter {
  starts: number;
  ends: number;
  used: number;
  held: number;
  /** This node's lease. */
  lease: number;
  isNew: boolean;
  changed: boolean;
  /** The lease in the database, whatever its period; undefined: there is no row. */
  leaseBefore: { starts: number; amount: number } | undefined;
}

type CounterRow = { name: string; starts: number; ends: number; used: number; held: number };
type LeaseRow = { name: string; starts: number; amount: number };

/**
 * The limits of the tokens of a batch, read once and written once. The lock on the token's row, which `Accounts` takes
 * first, guards them.
 */
export class Counters {
  readonly #query: RunStatement;
  readonly #node: string;
  readonly #tokens = new Map<number, Map<string, Counter>>();

  constructor(query: RunStatement, node: string) {
    this.#query = query;
    this.#node = node;
  }

  /** Reserves room in every limit, or in none. A need of 0 passes a limit that is used up. */
  async count({ tokenId, now, amounts }: CountItem): Promise<Counted> {
    const counters = await this.#of(tokenId);
    for (const amount of amounts) {
      const counter = current(counters, amount, now);
      const { name, limit, need } = amount;
      const { used, held, ends } = counter;
      if (need > 0 && used + held + need > limit) return { name, limit, need, used, held, ends };
    }
    return amounts.map(({ name, need }) => {
      const counter = counters.get(name)!; // created above
      counter.held += need;
      counter.lease += need;
      counter.changed = true;
      return { name, starts: counter.starts, amount: need };
    });
  }

  async giveBack({ tokenId, shares, whole }: UncountItem): Promise<void> {
    const counters = await this.#of(tokenId);
    if (!whole) {
      for (const share of shares) release(counters, share);
      return;
    }
    for (const [name, counter] of counters) {
      const still = shares.find((share) => share.name === name && share.starts === counter.starts)?.amount ?? 0;
      if (counter.lease === still) continue;
      counter.held += still - counter.lease;
      counter.lease = still;
      counter.changed = true;
    }
  }

  /** Replaces what a call has reserved by what it has used, in the period in which it was admitted. */
  async settle(item: SettleItem, shares: readonly CountShare[], charged: number): Promise<void> {
    const counters = await this.#of(item.tokenId);
    const counted = new Set<string>();
    for (const share of shares) {
      const counter = release(counters, share);
      // A call that reserved more later has several shares of one limit and counts in the first one's period.
      if (counted.has(share.name)) continue;
      counted.add(share.name);
      if (!counter) continue;
      counter.used += countedBy(share.name, charged, item.log);
      counter.changed = true;
    }
  }

  async write(): Promise<void> {
    for (const [tokenId, counters] of this.#tokens)
      for (const [name, counter] of counters) await this.#write(tokenId, name, counter);
  }

  async #write(tokenId: number, name: string, counter: Counter): Promise<void> {
    const { starts, ends, used, held, isNew, changed, lease, leaseBefore } = counter;
    if (!changed) return;
    await this.#query(isNew ? insertCounter : updateCounter, [tokenId, name, starts, ends, used, held]);
    const key = [tokenId, name, this.#node];
    if (lease === 0) {
      if (leaseBefore) await this.#query(deleteLease, key);
    } else if (!leaseBefore) await this.#query(insertLease, [...key, starts, lease]);
    else if (leaseBefore.amount !== lease || leaseBefore.starts !== starts)
      await this.#query(updateLease, [...key, starts, lease]);
  }

  async #of(tokenId: number): Promise<Map<string, Counter>> {
    const known = this.#tokens.get(tokenId);
    if (known) return known;
    const rows = await this.#query<CounterRow>(
      'select name, starts, ends, used, held from limit_counters where token_id = $1',
      [tokenId],
    );
    const leases = await this.#query<LeaseRow>(
      'select name, starts, amount from limit_leases where token_id = $1 and node = $2',
      [tokenId, this.#node],
    );
    const counters = new Map<string, Counter>();
    for (const row of rows) {
      const leaseBefore = leases.find(({ name }) => name === row.name);
      const lease = leaseBefore?.starts === row.starts ? leaseBefore.amount : 0;
      counters.set(row.name, { ...row, lease, leaseBefore, isNew: false, changed: false });
    }
    this.#tokens.set(tokenId, counters);
    return counters;
  }
}

/** The counter of a limit. A new period begins when the last one is over; a period that is running is not cut. */
function current(counters: Map<string, Counter>, { name, starts, ends }: CountAmount, now: number): Counter {
  let counter = counters.get(name);
  if (!counter) {
    counter = { starts, ends, used: 0, held: 0, lease: 0, leaseBefore: undefined, isNew: true, changed: true };
    counters.set(name, counter);
  } else if (now >= counter.ends) Object.assign(counter, { starts, ends, used: 0, held: 0, lease: 0, changed: true });
  return counter;
}

/** Ends a reservation. Undefined: its period is over. */
function release(counters: Map<string, Counter>, { name, starts, amount }: CountShare): Counter | undefined {
  const counter = counters.get(name);
  if (counter?.starts !== starts) return undefined;
  const back = Math.min(amount, counter.lease);
  counter.lease -= back;
  counter.held -= back;
  counter.changed ||= back > 0;
  return counter;
}

const insertCounter =
  'insert into limit_counters (token_id, name, starts, ends, used, held) values ($1, $2, $3, $4, $5, $6)';
const updateCounter =
  'update limit_counters set starts = $3, ends = $4, used = $5, held = $6 where token_id = $1 and name = $2';
const insertLease = 'insert into limit_leases (token_id, name, node, starts, amount) values ($1, $2, $3, $4, $5)';
const updateLease = 'update limit_leases set starts = $4, amount = $5 where token_id = $1 and name = $2 and node = $3';
const deleteLease = 'delete from limit_leases where token_id = $1 and name = $2 and node = $3';
