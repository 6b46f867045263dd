import { Outage } from '#db/outage.ts';
import type { CountAmount, Counted, CountItem, CountShare, UncountItem } from './batch-items.ts';
import type { BatchQueue } from './batch-queue.ts';

/** Need of a call within its token's limits. */
export interface CountNeed {
  userId: number;
  tokenId: number;
  now: number;
  amounts: CountAmount[];
}

/** Reservations of this node within the limits of one token, by name and start of the period. */
interface TokenCounts {
  userId: number;
  held: Map<string, CountShare>;
  /** Requests whose result is not known yet. */
  asks: number;
  /** A request got no answer: the database may hold more than `held`. */
  isUnsure: boolean;
  recount: Promise<void> | undefined;
}

/**
 * Reservations of open calls in the limits of their tokens. The database decides, in the transaction that other calls of
 * the same moment share, so a limit holds on all nodes. Memory only knows what this node holds.
 */
export class CountedLimits {
  readonly #queue: Pick<BatchQueue<never>, 'count' | 'giveBack'>;
  readonly #tokens = new Map<number, TokenCounts>();

  constructor(queue: Pick<BatchQueue<never>, 'count' | 'giveBack'>) {
    this.#queue = queue;
  }

  /** Reserves room in every limit, or returns one that has none. Rejects if the database cannot be reached. */
  async reserve(need: CountNeed): Promise<Counted> {
    const { userId, tokenId, now, amounts } = need;
    const token = this.#of(userId, tokenId);
    if (token.isUnsure && token.asks === 0) await this.#becomeSure(tokenId, token);
    const item: CountItem = { kind: 'count', userId, tokenId, now, amounts };
    token.asks++;
    return new Promise<Counted>((resolve, reject) => {
      this.#queue.count(
        item,
        (counted) => {
          token.asks--;
          if (isShares(counted)) add(token, counted, 1);
          this.#forgetIdle(tokenId, token);
          resolve(counted);
        },
        (error) => {
          token.asks--;
          token.isUnsure ||= error instanceof Outage;
          this.#forgetIdle(tokenId, token);
          reject(error);
        },
      );
    });
  }

  /** The settlement of a call is committed: nothing of its reservation is left. */
  settled(tokenId: number, shares: readonly CountShare[]): void {
    const token = this.#tokens.get(tokenId);
    if (!token) return;
    add(token, shares, -1);
    this.#forgetIdle(tokenId, token);
  }

  /** Returns the reservation of a call that is not made. */
  async giveBack(userId: number, tokenId: number, shares: CountShare[]): Promise<void> {
    const token = this.#of(userId, tokenId);
    const item: UncountItem = { kind: 'uncount', userId, tokenId, shares };
    token.asks++;
    try {
      await this.#queue.giveBack(item);
    } catch {
      // The next request writes the true reservations.
      token.isUnsure = true;
    }
    token.asks--;
    add(token, shares, -1);
    this.#forgetIdle(tokenId, token);
  }

  /** Returns what the database holds for requests without an answer. */
  async sweep(): Promise<void> {
    for (const [tokenId, token] of this.#tokens)
      if (token.isUnsure && token.asks === 0) await this.#becomeSure(tokenId, token);
  }

  #of(userId: number, tokenId: number): TokenCounts {
    let token = this.#tokens.get(tokenId);
    if (!token) {
      token = { userId, held: new Map(), asks: 0, isUnsure: false, recount: undefined };
      this.#tokens.set(tokenId, token);
    }
    return token;
  }

  /** Writes all reservations of this node; no other request of the token is under way. */
  #becomeSure(tokenId: number, token: TokenCounts): Promise<void> {
    const { userId } = token;
    const recount = async () => {
      const shares = [...token.held.values()].map((share) => ({ ...share }));
      await this.#queue.giveBack({ kind: 'uncount', userId, tokenId, shares, whole: true });
      token.isUnsure = false;
      this.#forgetIdle(tokenId, token);
    };
    return (token.recount ??= recount().finally(() => (token.recount = undefined)));
  }

  #forgetIdle(tokenId: number, { held, asks, isUnsure }: TokenCounts): void {
    if (held.size === 0 && asks === 0 && !isUnsure) this.#tokens.delete(tokenId);
  }
}

export const isShares = (counted: Counted): counted is CountShare[] => Array.isArray(counted);

function add({ held }: TokenCounts, shares: readonly CountShare[], sign: 1 | -1): void {
  for (const { name, starts, amount } of shares) {
    if (amount === 0) continue;
    const key = `${name} ${starts}`;
    const known = held.get(key);
    const total = (known?.amount ?? 0) + sign * amount;
    if (total <= 0) held.delete(key);
    else if (known) known.amount = total;
    else held.set(key, { name, starts, amount: total });
  }
}
