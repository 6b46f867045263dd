import type { Rate } from './minute-rates.ts';

/** Counts events that need a rate limit. */
export interface RateLimiter {
  /** Counts one event of `name`; resolves with the seconds to wait, or 0 if within `limit` per window. */
  hit(name: string, limit: number, windowS: number): Promise<number>;
  /** Seconds to wait if `name` has reached its `limit`, else 0. Counts nothing. */
  wait(name: string, limit: number): Promise<number>;
  /** Takes one event back that turned out not to count. */
  takeBack(name: string): Promise<void>;
  /** Takes a call out of a user's limit per minute; a promise only if Redis has to be asked. */
  takeCall(userId: number, perMinute: number): Rate | Promise<Rate>;
  /** Whether counters are shared through Redis. */
  readonly redis: 'none' | 'ready' | 'away';
  close(): Promise<void>;
}
