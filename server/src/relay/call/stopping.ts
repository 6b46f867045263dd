import type { Bag, Bagged } from './bag.ts';

/** A call under way, which the server's stop breaks off. */
export interface Breakable extends Bagged {
  breakOff(): void;
  /** A round of the relay's heart. */
  beat?(): void;
}

/** How the server's stop reaches calls under way: not by an event target, which is walked through for every call. */
export interface Stopping {
  now: boolean;
  open: Bag<Breakable>;
  /** How many of them are read on for callers who have left. */
  drains: number;
}
