import type { Rate } from './minute-rates.ts';

/** Counts what must not happen too often. */
export interface RateLimiter {
  /** Counts one more of `name`; resolves with the seconds to wait, or 0 when it is within `limit` per window. */
  hit(name: string, limit: number, windowS: number): Promise<number>;
  /** The seconds to wait where `name` has used up its `limit` already, else 0; counts nothing. */
  wait(name: string, limit: number): Promise<number>;
  /** Takes one back: it turned out not to be of the kind that is counted. */
  takeBack(name: string): Promise<void>;
  /** Takes one of a user's calls out of a limit by the minute; a promise only where other nodes have to be asked. */
  takeCall(userId: number, perMinute: number): Rate | Promise<Rate>;
  close(): Promise<void>;
}
