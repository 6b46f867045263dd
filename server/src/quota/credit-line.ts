import { isClash, isOutage } from '#db/outage.ts';
import type { CreditNeed } from './leased-credits.ts';

/** How long and how far calls are admitted while the database is away. */
export interface CreditLineLimits {
  /** From the first refused request on; 0: not at all. */
  graceMs: number;
  /** Credits per account that calls may reserve in that time. */
  credits: number;
}

const MOST_KNOWN = 100_000;

/**
 * Admits calls of known accounts while the database is away, without leased credits. Each account has a line, at most
 * its last known balance: what the balance does not cover afterwards, because other nodes have spent it too, is the
 * operator's loss. The journal charges these calls, once, when the database is back.
 */
export class CreditLine {
  readonly #limits: CreditLineLimits;
  readonly #nowMs: () => number;
  /** By user: reserved by open calls, or charged and not yet written. */
  readonly #used = new Map<number, number>();
  /** Last known balances, see `keyOf`. */
  readonly #left = new Map<number, number>();
  #awaySinceMs: number | undefined;

  constructor(limits: CreditLineLimits, nowMs: () => number = () => performance.now()) {
    this.#limits = limits;
    this.#nowMs = nowMs;
  }

  /** Whether a call that met `error` is admitted; its credits are then in use until `release`. */
  take(call: Pick<CreditNeed, 'userId' | 'tokenId' | 'reserved' | 'limited'>, error: unknown): boolean {
    const { graceMs, credits } = this.#limits;
    if (graceMs === 0 || !isOutage(error) || isClash(error)) return false;
    const nowMs = this.#nowMs();
    this.#awaySinceMs ??= nowMs;
    if (nowMs - this.#awaySinceMs > graceMs) return false;
    const { userId, tokenId, reserved, limited } = call;
    const used = (this.#used.get(userId) ?? 0) + reserved;
    if (used > Math.min(credits, this.#left.get(keyOf(userId, limited ? tokenId : 0)) ?? 0)) return false;
    this.#used.set(userId, used);
    return true;
  }

  /** Frees credits: the call cost less, is written, or was not made. */
  release(userId: number, credits: number): void {
    const left = (this.#used.get(userId) ?? 0) - credits;
    if (left > 0) this.#used.set(userId, left);
    else this.#used.delete(userId);
  }

  /** The database has answered: the next outage has its full time. */
  answered(): void {
    this.#awaySinceMs = undefined;
  }

  /** Credits that are left to a user, or to a token with its own quota. */
  noteBalance({ userId, tokenId }: { userId: number; tokenId: number }, left: number): void {
    if (this.#limits.graceMs === 0) return;
    const key = keyOf(userId, tokenId);
    const [oldest] = this.#left.keys();
    if (this.#left.size >= MOST_KNOWN && oldest !== undefined && !this.#left.has(key)) this.#left.delete(oldest);
    this.#left.set(key, left);
  }
}

/** Token 0: the user's own balance. */
const keyOf = (userId: number, tokenId: number): number => (tokenId === 0 ? -userId : tokenId);
