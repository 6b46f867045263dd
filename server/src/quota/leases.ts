import type { Cover } from './batch-items.ts';

/** So many calls like the one at hand are leased to begin with. */
const FIRST_CALLS = 64;
/** A lease that lasts for fewer sweeps than this is doubled. */
const QUICK = 2;
const POOR = 4;

/** What a call has set aside of a lease. `single`: given for this call alone, so what it leaves goes back at once. */
export interface Held {
  readonly lease: Lease;
  credits: number;
  readonly single: boolean;
}

/**
 * What this node has leased of one account, in memory. `total` is what the database says; of it, `reserved` is set
 * aside for open calls, and `owed` is taken by items that are not in the books yet. Times are counts of sweeps.
 */
export class Lease {
  total = 0;
  reserved = 0;
  owed = 0;
  /** Questions to the database that are not answered. */
  asks = 0;
  usedAt = 0;
  /** When others were asked to give back. */
  recalledAt = -Infinity;
  /** Only single calls' worth was to be had; until then, nothing more is asked for. */
  #poorUntil = 0;
  #given = 0;
  #givenAt = 0;

  get free(): number {
    return this.total - this.reserved - this.owed;
  }

  get idle(): boolean {
    return this.reserved === 0 && this.owed === 0 && this.asks === 0;
  }

  get runsLow(): boolean {
    return this.#given > 0 && this.free < this.#given / 2 && this.usedAt >= this.#poorUntil;
  }

  /** How much to ask for beyond what a call needs. */
  wanted(credits: number, now: number): number {
    if (now < this.#poorUntil) return 0;
    if (this.#given === 0) return credits * FIRST_CALLS;
    return now - this.#givenAt < QUICK ? this.#given * 2 : this.#given;
  }

  setAside(credits: number, single = false): Held {
    this.reserved += credits;
    return { lease: this, credits, single };
  }

  /** Notes what the database has given; whether it was more than what was needed. */
  given(credits: number, need: number, now: number): boolean {
    const plenty = credits > need;
    if (plenty) this.#given = credits;
    else this.poor(now);
    this.#givenAt = now;
    return plenty;
  }

  poor(now: number): void {
    this.#poorUntil = now + POOR;
    this.#given = 0;
  }
}

/** Ends what was set aside; what of the lease pays for `credits`, and what of it goes back. */
export function cover(held: Held | undefined, credits: number): Cover {
  if (!held) return { take: 0, back: 0 };
  const { lease, credits: reserved, single } = held;
  lease.reserved -= reserved;
  const take = Math.min(credits, single ? reserved : Math.max(0, lease.free));
  const back = single ? reserved - take : 0;
  lease.owed += take + back;
  return { take, back };
}

export function letGo({ lease, credits }: Held): void {
  lease.reserved -= credits;
}

/** The leases of a node. A token's belongs to its user; token 0 is the user's own. */
export class Leases {
  readonly #users = new Map<number, Lease>();
  readonly #tokens = new Map<number, { userId: number; lease: Lease }>();

  get size(): number {
    return this.#users.size + this.#tokens.size;
  }

  find(userId: number, tokenId: number): Lease | undefined {
    return tokenId === 0 ? this.#users.get(userId) : this.#tokens.get(tokenId)?.lease;
  }

  /** The lease of an account, made when there is none. */
  of(userId: number, tokenId: number): Lease {
    let lease = this.find(userId, tokenId);
    if (lease) return lease;
    lease = new Lease();
    if (tokenId === 0) this.#users.set(userId, lease);
    else this.#tokens.set(tokenId, { userId, lease });
    return lease;
  }

  /** What the database says after a batch. */
  told(userId: number, tokenId: number, total: number): void {
    const lease = total > 0 ? this.of(userId, tokenId) : this.find(userId, tokenId);
    if (lease) lease.total = total;
  }

  forget(userId: number, tokenId: number): void {
    if (tokenId === 0) this.#users.delete(userId);
    else this.#tokens.delete(tokenId);
  }

  all(): [userId: number, tokenId: number, lease: Lease][] {
    return [
      ...[...this.#users].map(([userId, lease]): [number, number, Lease] => [userId, 0, lease]),
      ...[...this.#tokens].map(([tokenId, { userId, lease }]): [number, number, Lease] => [userId, tokenId, lease]),
    ];
  }
}
