import { deleteRows, insertRows, type RowStatements, selectRows } from '#db/row-statements.ts';
import type { BatchItem, CountAmount, Counted, CountItem, CountShare, SettleItem, UncountItem } from './batch-items.ts';
import { countedBy } from './limit-use.ts';

/** Use of one limit in its current period, and this node's part of the reservations of open calls. */
interface Counter {
  starts: number;
  ends: number;
  used: number;
  held: number;
  /** This node's lease. */
  lease: number;
  changed: boolean;
  /** The lease in the database, whatever its period; undefined: there is no row. */
  leaseBefore: { starts: number; amount: number } | undefined;
}

type CounterRow = { token_id: number; name: string; starts: number; ends: number; used: number; held: number };
type LeaseRow = { token_id: number; name: string; starts: number; amount: number };

/**
 * The limits of the tokens of a batch, read once and written once. The lock on the token's row, which `Accounts` takes
 * first, guards them.
 */
export class Counters {
  readonly #rows: RowStatements;
  readonly #node: string;
  readonly #tokens = new Map<number, Map<string, Counter>>();

  constructor(rows: RowStatements, node: string) {
    this.#rows = rows;
    this.#node = node;
  }

  /** Whether an item's rows have been read, or it needs none. */
  has(item: BatchItem): boolean {
    return this.#tokens.has(item.tokenId) || !isCounted(item);
  }

  /** Reads the limits of the tokens of items, after their rows were locked. */
  async read(items: readonly BatchItem[]): Promise<void> {
    const ids = [...new Set(items.filter((item) => !this.has(item)).map(({ tokenId }) => tokenId))];
    const [rows, leases] = await Promise.all([
      this.#rows.read<CounterRow>(
        readCounters,
        ids.map((id) => [id]),
      ),
      this.#rows.read<LeaseRow>(
        readLeases,
        ids.map((id) => [id, this.#node]),
      ),
    ]);
    const keyOf = ({ token_id: id, name }: { token_id: number; name: string }) => `${id} ${name}`;
    const leased = new Map(leases.map((row) => [keyOf(row), row]));
    for (const id of ids) this.#tokens.set(id, new Map());
    for (const row of rows) {
      const { name, starts, ends, used, held } = row;
      const leaseBefore = leased.get(keyOf(row));
      const lease = leaseBefore?.starts === starts ? leaseBefore.amount : 0;
      this.#of(row.token_id).set(name, { starts, ends, used, held, lease, leaseBefore, changed: false });
    }
  }

  /** Reserves room in every limit, or in none. A need of 0 passes a limit that is used up. */
  count({ tokenId, now, amounts }: CountItem): Counted {
    const counters = this.#of(tokenId);
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

  giveBack({ tokenId, shares, whole }: UncountItem): void {
    const counters = this.#of(tokenId);
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
  settle(item: SettleItem, shares: readonly CountShare[], charged: number): void {
    const counters = this.#of(item.tokenId);
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

  write(): void {
    const changed = [...this.#tokens].flatMap(([tokenId, counters]) =>
      [...counters].filter(([, counter]) => counter.changed).map(([name, counter]) => ({ tokenId, name, ...counter })),
    );
    this.#rows.write(
      writeCounters,
      changed.map(({ tokenId, name, starts, ends, used, held }) => [tokenId, name, starts, ends, used, held]),
    );
    const isOther = ({ lease, leaseBefore, starts }: Counter) =>
      lease > 0 && (leaseBefore?.amount !== lease || leaseBefore.starts !== starts);
    this.#rows.write(
      writeLeases,
      changed.filter(isOther).map(({ tokenId, name, starts, lease }) => [tokenId, name, this.#node, starts, lease]),
    );
    this.#rows.write(
      deleteLeases,
      changed
        .filter(({ lease, leaseBefore }) => lease === 0 && leaseBefore)
        .map(({ tokenId, name }) => [tokenId, name, this.#node]),
    );
  }

  #of(tokenId: number): Map<string, Counter> {
    const counters = this.#tokens.get(tokenId);
    if (!counters) throw new Error(`the limits of token ${tokenId} were not read`);
    return counters;
  }
}

const isCounted = (item: BatchItem): boolean =>
  item.kind === 'count' || item.kind === 'uncount' || (item.kind === 'settle' && item.counts !== undefined);

/** The counter of a limit. A new period begins when the last one is over; a period that is running is not cut. */
function current(counters: Map<string, Counter>, { name, starts, ends }: CountAmount, now: number): Counter {
  let counter = counters.get(name);
  if (!counter) {
    counter = { starts, ends, used: 0, held: 0, lease: 0, leaseBefore: undefined, changed: true };
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

const readCounters = selectRows(
  'limit_counters',
  { token_id: 'bigint' },
  {
    select: 'limit_counters.token_id, limit_counters.name, starts, ends, used, held',
    where: 'limit_counters.token_id = given.token_id',
  },
);
const readLeases = selectRows(
  'limit_leases',
  { token_id: 'bigint', node: 'text' },
  {
    select: 'limit_leases.token_id, limit_leases.name, starts, amount',
    where: 'limit_leases.token_id = given.token_id and limit_leases.node = given.node',
  },
);
const counterKey = { token_id: 'bigint', name: 'text' } as const;
const writeCounters = insertRows(
  'limit_counters',
  { ...counterKey, starts: 'bigint', ends: 'bigint', used: 'bigint', held: 'bigint' },
  'on conflict (token_id, name) do update set starts = excluded.starts, ends = excluded.ends, ' +
    'used = excluded.used, held = excluded.held',
);
const leaseKey = { ...counterKey, node: 'text' } as const;
const writeLeases = insertRows(
  'limit_leases',
  { ...leaseKey, starts: 'bigint', amount: 'bigint' },
  'on conflict (token_id, name, node) do update set starts = excluded.starts, amount = excluded.amount',
);
const deleteLeases = deleteRows(
  'limit_leases',
  leaseKey,
  'limit_leases.token_id = given.token_id and limit_leases.name = given.name and limit_leases.node = given.node',
);
