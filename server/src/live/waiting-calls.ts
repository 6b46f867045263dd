import type { FullLimit } from './limit-uses.ts';

/** A caller's connection, which may close while its call waits. */
export interface Connection {
  readonly destroyed: boolean;
  once(event: 'close', closed: () => void): unknown;
  off(event: 'close', closed: () => void): unknown;
}

interface Waiter {
  /** News came while nothing waited for them. */
  hasNews: boolean;
  notify: (() => void) | undefined;
}

interface Queue {
  waiters: Set<Waiter>;
  full: FullLimit;
}

/** The place of a call in its queue. */
export interface QueuePlace {
  readonly isFirst: boolean;
  /** The limit for which the queue waits. */
  full: FullLimit;
  /** Resolves when there may be room, when the call becomes the first, when its caller leaves, or after `ms`. */
  news(ms: number, caller: Connection): Promise<void>;
  /** Ends the wait; the next call becomes the first. */
  leave(): void;
}

/** Calls of this node that wait until a limit of their channels has room, each queue in the order of arrival. */
export class WaitingCalls {
  readonly #queues = new Map<string, Queue>();

  length(name: string): number {
    return this.#queues.get(name)?.waiters.size ?? 0;
  }

  /** The limit for which a queue waits; undefined: nothing waits. */
  fullOf(name: string): FullLimit | undefined {
    return this.#queues.get(name)?.full;
  }

  /** Lines up; undefined: `most` calls wait already. */
  join(name: string, most: number, full: FullLimit): QueuePlace | undefined {
    const queue = this.#queues.get(name) ?? { waiters: new Set<Waiter>(), full };
    if (queue.waiters.size >= most) return undefined;
    this.#queues.set(name, queue);
    const waiter: Waiter = { hasNews: false, notify: undefined };
    queue.waiters.add(waiter);
    return {
      get isFirst() {
        return firstOf(queue) === waiter;
      },
      get full() {
        return queue.full;
      },
      set full(found) {
        queue.full = found;
      },
      news: (ms, caller) => newsOf(waiter, ms, caller),
      leave: () => {
        queue.waiters.delete(waiter);
        if (queue.waiters.size === 0) this.#queues.delete(name);
        else tell(firstOf(queue));
      },
    };
  }

  /** Room may have come back. */
  wake(): void {
    for (const queue of this.#queues.values()) tell(firstOf(queue));
  }
}

const firstOf = ({ waiters }: Queue): Waiter | undefined => waiters.values().next().value;

function tell(waiter: Waiter | undefined): void {
  if (!waiter) return;
  waiter.hasNews = true;
  waiter.notify?.();
}

async function newsOf(waiter: Waiter, ms: number, caller: Connection): Promise<void> {
  if (!waiter.hasNews && !caller.destroyed && ms > 0)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(ended, ms);
      function ended(): void {
        clearTimeout(timer);
        waiter.notify = undefined;
        caller.off('close', ended);
        resolve();
      }
      waiter.notify = ended;
      caller.once('close', ended);
    });
  waiter.hasNews = false;
}
