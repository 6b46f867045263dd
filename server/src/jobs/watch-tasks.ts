import type { Deps } from '#deps.ts';
import { ROUND_MS } from '#tasks/poll/due-tasks.ts';
import { pollDueTasks } from '#tasks/poll/poll-tasks.ts';

/** A round lasts as long as its slowest channel. More of them wait only for a database that does not answer. */
const MOST_ROUNDS = 100;

/** Polls the tasks that are due. Every node takes part; each task is claimed by one. Returns a handle that stops it. */
export function watchTasks(deps: Deps): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const busy = new Set<number>();
  const unanswered = new Map<number, number>();
  const rounds = new Set<Promise<void>>();
  const poll = async (): Promise<void> => {
    try {
      await pollDueTasks(deps, { signal: stopping.signal, busy, unanswered });
    } catch (error) {
      deps.log.warn({ err: error }, 'polling tasks failed');
    }
  };
  // A round does not wait for the previous one: channels that are still polled are left out.
  const timer = setInterval(() => {
    if (rounds.size >= MOST_ROUNDS) return;
    const round = poll();
    rounds.add(round);
    void round.finally(() => rounds.delete(round));
  }, ROUND_MS).unref();
  return {
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await Promise.all(rounds);
    },
  };
}
