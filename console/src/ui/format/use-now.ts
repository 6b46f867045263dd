import { useSyncExternalStore } from 'react';

interface Clock {
  now: number;
  readers: Set<() => void>;
  timer: ReturnType<typeof setInterval> | undefined;
}

const clocks = new Map<number, Clock>();

function clockOf(everySeconds: number): Clock {
  const known = clocks.get(everySeconds);
  if (known) return known;
  const clock: Clock = { now: Math.floor(Date.now() / 1000), readers: new Set(), timer: undefined };
  clocks.set(everySeconds, clock);
  return clock;
}

function listen(everySeconds: number, read: () => void): () => void {
  const clock = clockOf(everySeconds);
  const tick = () => {
    clock.now = Math.floor(Date.now() / 1000);
    for (const each of clock.readers) each();
  };
  clock.readers.add(read);
  if (clock.timer === undefined) {
    clock.timer = setInterval(tick, everySeconds * 1000);
    clock.now = Math.floor(Date.now() / 1000);
  }
  return () => {
    clock.readers.delete(read);
    if (clock.readers.size > 0) return;
    clearInterval(clock.timer);
    clock.timer = undefined;
  };
}

const subscriptions = new Map<number, (read: () => void) => () => void>();

function subscribeTo(everySeconds: number) {
  const known = subscriptions.get(everySeconds);
  if (known) return known;
  const subscribe = (read: () => void) => listen(everySeconds, read);
  subscriptions.set(everySeconds, subscribe);
  return subscribe;
}

/** The current time in Unix seconds, updated every `everySeconds`; callers with equal intervals share a timer. */
export function useNow(everySeconds: number): number {
  return useSyncExternalStore(subscribeTo(everySeconds), () => clockOf(everySeconds).now);
}
