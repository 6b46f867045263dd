import { Outage } from '#db/outage.ts';
import type { Counted, CountItem, CountShare, UncountItem } from './batch-items.ts';
import type { BatchQueue } from './batch-queue.ts';
import { tokenIn } from './limit-use.ts';

/** Need of a call within the limits on its path. */
export type CountNeed = Pick<CountItem, 'userId' | 'now' | 'amounts' | 'plans'>;

/** Reservations of this node within the limits of one account, by scope, name and start of the period. */
interface AccountCounts {
  held: Map<string, CountShare>;
  /** Requests whose result is not known yet. */
  asks: number;
  /** A request got no answer: the database may hold more than `held`. */
  isUnsure: boolean;
  recount: Promise<void> | undefined;
}

/**
 * Reservations of open calls in the limits on their paths. The database decides, in the transaction that other calls of
 * the same moment share, so a limit holds on all nodes. Memory only knows what this node holds.
 */
export class CountedLimits {
  readonly #queue: Pick<BatchQueue<never>, 'count' | 'giveBack'>;
  readonly #accounts = new Map<number, AccountCounts>();

  constructor(queue: Pick<BatchQueue<never>, 'count' | 'giveBack'>) {
    this.#queue = queue;
  }

  /** Reserves room in every limit, or returns one that has none. Rejects if the database cannot be reached. */
  async reserve(need: CountNeed): Promise<Counted> {
    const { userId } = need;
    const account = this.#of(userId);
    if (account.isUnsure && account.asks === 0) await this.#becomeSure(userId, account);
    const item: CountItem = { kind: 'count', tokenId: tokenIn(need.amounts), ...need };
    account.asks++;
    return new Promise<Counted>((resolve, reject) => {
      this.#queue.count(
        item,
        (counted) => {
          account.asks--;
          if (isShares(counted)) add(account, counted, 1);
          this.#forgetIdle(userId, account);
          resolve(counted);
        },
        (error) => {
          account.asks--;
          account.isUnsure ||= error instanceof Outage;
          this.#forgetIdle(userId, account);
          reject(error);
        },
      );
    });
  }

  /** The settlement of a call is committed: nothing of its reservation is left. */
  settled(userId: number, shares: readonly CountShare[]): void {
    const account = this.#accounts.get(userId);
    if (!account) return;
    add(account, shares, -1);
    this.#forgetIdle(userId, account);
  }

  /** Returns the reservation of a call that is not made. */
  async giveBack(userId: number, shares: CountShare[]): Promise<void> {
    const account = this.#of(userId);
    const item: UncountItem = { kind: 'uncount', userId, tokenId: tokenIn(shares), shares };
    account.asks++;
    try {
      await this.#queue.giveBack(item);
    } catch {
      // The next request writes the true reservations.
      account.isUnsure = true;
    }
    account.asks--;
    add(account, shares, -1);
    this.#forgetIdle(userId, account);
  }

  /** Returns what the database holds for requests without an answer. */
  async sweep(): Promise<void> {
    for (const [userId, account] of this.#accounts)
      if (account.isUnsure && account.asks === 0) await this.#becomeSure(userId, account);
  }

  #of(userId: number): AccountCounts {
    let account = this.#accounts.get(userId);
    if (!account) {
      account = { held: new Map(), asks: 0, isUnsure: false, recount: undefined };
      this.#accounts.set(userId, account);
    }
    return account;
  }

  /** Writes all reservations of this node; no other request of the account is under way. */
  #becomeSure(userId: number, account: AccountCounts): Promise<void> {
    const recount = async () => {
      const shares = [...account.held.values()].map((share) => ({ ...share }));
      await this.#queue.giveBack({ kind: 'uncount', userId, tokenId: 0, shares, whole: true });
      account.isUnsure = false;
      this.#forgetIdle(userId, account);
    };
    return (account.recount ??= recount().finally(() => (account.recount = undefined)));
  }

  #forgetIdle(userId: number, { held, asks, isUnsure }: AccountCounts): void {
    if (held.size === 0 && asks === 0 && !isUnsure) this.#accounts.delete(userId);
  }
}

export const isShares = (counted: Counted): counted is CountShare[] => Array.isArray(counted);

function add({ held }: AccountCounts, shares: readonly CountShare[], sign: 1 | -1): void {
  for (const { scope, name, starts, amount } of shares) {
    if (amount === 0) continue;
    const key = `${scope} ${name} ${starts}`;
    const known = held.get(key);
    const total = (known?.amount ?? 0) + sign * amount;
    if (total <= 0) held.delete(key);
    else if (known) known.amount = total;
    else held.set(key, { scope, name, starts, amount: total });
  }
}
