import type { LeaseConsumption } from './batch-items.ts';

/** The first lease covers this many calls like the current one. */
const FIRST_CALLS = 64;
/** A lease used up in fewer sweeps than this is doubled. */
const QUICK = 2;
const POOR = 4;
/** Sweeps without use after which a lease is returned: the least, the most, and in usual pauses between two uses. */
const IDLE = { least: 6, most: 120, pauses: 8 };

/** Credits reserved from a lease. `single`: granted for this call alone, so the rest is returned immediately. */
export interface LeaseShare {
  readonly lease: Lease;
  credits: number;
  readonly single: boolean;
}

/**
 * This node's lease on one account. `total` is the database's value; `reserved` belongs to open calls, `owed` to items
 * that are not committed yet. Times are sweep counts.
 */
export class Lease {
  total = 0;
  reserved = 0;
  owed = 0;
  /** Pending requests to the database. */
  asks = 0;
  /** 0: never. */
  #usedAt = 0;
  /** The usual time between two uses. */
  #pause = 0;
  /** Until then, requests only cover single calls: the balance is low. */
  #poorUntil = 0;
  #given = 0;
  #givenAt = 0;
  /** Others need what it holds: calls return what they do not use. */
  isShort = false;

  get free(): number {
    return this.total - this.reserved - this.owed;
  }

  get idle(): boolean {
    return this.reserved === 0 && this.owed === 0 && this.asks === 0;
  }

  get runsLow(): boolean {
    return this.#given > 0 && this.free < this.#given / 2 && this.#usedAt >= this.#poorUntil;
  }

  use(now: number): void {
    if (this.#usedAt > 0) this.#pause += (Math.min(now - this.#usedAt, IDLE.most) - this.#pause) / 4;
    this.#usedAt = now;
  }

  /** Whether the next use is unlikely: a busy account keeps its lease through a pause. */
  isUnused(now: number): boolean {
    return now - this.#usedAt >= Math.min(IDLE.most, Math.max(IDLE.least, this.#pause * IDLE.pauses));
  }

  /** Whether nothing about the account is worth remembering. */
  isForgotten(now: number): boolean {
    return this.total === 0 && this.idle && now - this.#usedAt >= IDLE.most;
  }

  /** Credits to request beyond the need of a call. */
  wanted(credits: number, now: number): number {
    if (now < this.#poorUntil) return 0;
    if (this.#given === 0) return credits * FIRST_CALLS;
    return now - this.#givenAt < QUICK ? this.#given * 2 : this.#given;
  }

  setAside(credits: number, single = false): LeaseShare {
    this.reserved += credits;
    return { lease: this, credits, single };
  }

  /** Records a grant; returns whether it was more than needed. */
  given(credits: number, need: number, now: number): boolean {
    const plenty = credits > need;
    if (plenty) {
      this.#given = credits;
      this.isShort = false;
    }
    // A single call's worth says something only if more was requested.
    else if (now >= this.#poorUntil) this.backOff(now);
    this.#givenAt = now;
    return plenty;
  }

  /** Returned to the balance because it was idle. */
  rest(): void {
    this.#given = 0;
  }

  backOff(now: number): void {
    this.#poorUntil = now + POOR;
    this.#given = 0;
    this.isShort = true;
  }
}

/** Ends a reservation; returns how much of the lease pays for `credits`, and how much is returned. */
export function consume(held: LeaseShare | undefined, credits: number): LeaseConsumption {
  if (!held) return { take: 0, back: 0 };
  const { lease, credits: reserved, single } = held;
  lease.reserved -= reserved;
  const take = Math.min(credits, single ? reserved : Math.max(0, lease.free));
  const isReturned = single || (lease.isShort && lease.free >= reserved);
  const back = isReturned ? Math.max(0, reserved - take) : 0;
  lease.owed += take + back;
  return { take, back };
}

export function release({ lease, credits }: LeaseShare): void {
  lease.reserved -= credits;
}

/** The leases of a node. Token 0 is the user's own lease. */
export class Leases {
  readonly #users = new Map<number, Lease>();
  readonly #tokens = new Map<number, { userId: number; lease: Lease }>();

  get size(): number {
    return this.#users.size + this.#tokens.size;
  }

  find(userId: number, tokenId: number): Lease | undefined {
    return tokenId === 0 ? this.#users.get(userId) : this.#tokens.get(tokenId)?.lease;
  }

  /** The lease of an account, created if missing. */
  of(userId: number, tokenId: number): Lease {
    let lease = this.find(userId, tokenId);
    if (lease) return lease;
    lease = new Lease();
    if (tokenId === 0) this.#users.set(userId, lease);
    else this.#tokens.set(tokenId, { userId, lease });
    return lease;
  }

  /** Sets the total that a batch has reported. */
  setTotal(userId: number, tokenId: number, total: number): void {
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
