import type { SetMember, SwapRemoveSet } from './swap-remove-set.ts';

/** A call under way, which the server's stop breaks off. */
export interface Abortable extends SetMember {
  abort(): void;
  /** A round of the relay's heart. */
  onHeartbeat?(): void;
}

/** How the server's stop reaches calls under way: not by an event target, which is walked through for every call. */
export interface ShutdownState {
  isStopping: boolean;
  openExchanges: SwapRemoveSet<Abortable>;
  /** How many of them are read on for callers who have left. */
  drains: number;
}
