import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

const MIB = 1024 * 1024;
/** Less would refuse bodies that the formats allow. */
export const LEAST_BODY_MEMORY = 64 * MIB;

/**
 * An eighth of the memory of this process. A parsed body is in the JavaScript heap as well while its call lasts, so in
 * total at most a quarter.
 */
export function defaultBodyMemory(): number {
  const constrained = process.constrainedMemory();
  // 0 or a huge number means that there is no constraint.
  const memory = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(LEAST_BODY_MEMORY, Math.floor(Math.min(memory / 8, getHeapStatistics().heap_size_limit / 4)));
}

/** Released bytes that make a collection worthwhile. */
const WORTH_COLLECTING = 32 * MIB;
/** Bytes of a call that do not count towards its caller's share. */
const SMALL = 256 * 1024;

/** The share of the management API, whose callers are mostly unknown when their bodies arrive. */
export const API_CALLERS = -1;

/**
 * Counts the bytes of bodies that this process holds: requests, and responses held whole. Memory is claimed before it
 * is used, and refused above the limit.
 */
export class BodyMemory {
  readonly limit: number;
  refused = 0;
  readonly #collect: () => void;
  readonly #byCaller = new Map<number, number>();
  #used = 0;
  #released = 0;

  /** Calls `collect` when much was released and little is left. */
  constructor(limit: number, collect: () => void = () => {}) {
    this.limit = limit;
    this.#collect = collect;
  }

  get used(): number {
    return this.#used;
  }

  /** A claim for one call; `callerId`: the user whose share it counts towards. */
  claim(callerId: number): BodyClaim {
    return new BodyClaim(this, callerId);
  }

  /** Whether `bytes` more fit, of which `shared` count towards the caller's share. */
  fits(bytes: number, callerId: number, shared: number): boolean {
    if (this.#used + bytes > this.limit) return false;
    return shared === 0 || (this.#byCaller.get(callerId) ?? 0) + shared <= this.limit * shareOf(callerId);
  }

  /** Adds or subtracts held bytes. */
  hold(bytes: number, callerId: number, shared: number): void {
    this.#used += bytes;
    if (shared !== 0) {
      const ofCaller = (this.#byCaller.get(callerId) ?? 0) + shared;
      if (ofCaller > 0) this.#byCaller.set(callerId, ofCaller);
      else this.#byCaller.delete(callerId);
    }
    // Small bodies are collected quickly without help.
    if (bytes > 0 || shared === 0) return;
    this.#released -= shared;
    if (this.#released < WORTH_COLLECTING || this.#used > WORTH_COLLECTING / 2) return;
    this.#released = 0;
    this.#collect();
  }
}

/** One caller leaves room for others, and the management API leaves room for calls. */
const shareOf = (callerId: number): number => (callerId === API_CALLERS ? 1 / 8 : 1 / 2);

/** The bytes that one call holds. */
export class BodyClaim {
  readonly #memory: BodyMemory;
  readonly #callerId: number;
  #bytes = 0;
  /** The part that counts towards the caller's share. */
  #shared = 0;

  constructor(memory: BodyMemory, callerId: number) {
    this.#memory = memory;
    this.#callerId = callerId;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether `bytes` more would fit now. */
  fits(bytes: number): boolean {
    const fits = this.#memory.fits(bytes, this.#callerId, this.#sharedBy(bytes));
    if (!fits) this.#memory.refused++;
    return fits;
  }

  /** Claims `bytes` more; returns whether they fit. */
  grow(bytes: number): boolean {
    if (!this.fits(bytes)) return false;
    const shared = this.#sharedBy(bytes);
    this.#memory.hold(bytes, this.#callerId, shared);
    this.#bytes += bytes;
    this.#shared += shared;
    return true;
  }

  shrink(bytes: number): void {
    const shared = Math.min(bytes, this.#shared);
    this.#memory.hold(-bytes, this.#callerId, -shared);
    this.#bytes -= bytes;
    this.#shared -= shared;
  }

  /** Releases all of it. */
  release(): void {
    if (this.#bytes > 0) this.shrink(this.#bytes);
  }

  #sharedBy(bytes: number): number {
    const after = this.#bytes + bytes;
    return after > SMALL || this.#callerId === API_CALLERS ? after - this.#shared : 0;
  }
}
