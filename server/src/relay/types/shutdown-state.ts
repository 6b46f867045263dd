import type { SetMember, SwapRemoveSet } from './swap-remove-set.ts';

/** An exchange that shutdown can abort. */
export interface Abortable extends SetMember {
  abort(): void;
  /** Called every heartbeat round. */
  onHeartbeat?(): void;
}

/** Connects shutdown to open exchanges. Not an EventTarget, which is traversed for every call. */
export interface ShutdownState {
  isStopping: boolean;
  openExchanges: SwapRemoveSet<Abortable>;
  /** Number of exchanges read on for callers who have left. */
  drains: number;
  /** Responses in the background, each settled when its promise resolves. */
  background: Set<Promise<void>>;
}
