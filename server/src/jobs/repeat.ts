import type { Logger } from 'pino';
import { isOutage } from '#db/outage.ts';

interface RepeatOptions {
  everyMs: number;
  /** Logged with the error of a round that failed; the next round runs as usual. */
  failure: string;
  log: Pick<Logger, 'warn'>;
}

interface JobFailures {
  count: number;
  /** Of the last round. */
  error: unknown;
}

/** Jobs of each hub in this process whose last rounds failed, by their `failure`. */
const failing = new WeakMap<object, Map<string, JobFailures>>();

/** The jobs whose last rounds failed, with the number of rounds. */
export const failingJobs = (log: object): ReadonlyMap<string, JobFailures> => failing.get(log) ?? new Map();

/** Forgets failures for lack of the database, which is the trouble itself. */
export function forgetOutages(log: object): void {
  for (const [job, { error }] of failingJobs(log)) if (isOutage(error)) failing.get(log)?.delete(job);
}

function noteRound(log: object, failure: string, error?: { of: unknown }): void {
  const jobs = failing.get(log) ?? new Map<string, JobFailures>();
  failing.set(log, jobs);
  if (error) jobs.set(failure, { count: (jobs.get(failure)?.count ?? 0) + 1, error: error.of });
  else jobs.delete(failure);
}

/**
 * Runs a job at intervals, one round at a time: a round that takes longer delays the next one. `isOver` tells a running
 * round to end early. Returns a handle that stops it and waits for the running round.
 */
export function repeat(
  { everyMs, failure, log }: RepeatOptions,
  job: (isOver: () => boolean) => Promise<unknown>,
): { stop(): Promise<void> } {
  let stopping = false;
  let work: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    try {
      await job(() => stopping);
      noteRound(log, failure);
    } catch (error) {
      noteRound(log, failure, { of: error });
      log.warn({ err: error }, failure);
    } finally {
      work = undefined;
    }
  };
  const timer = setInterval(() => {
    work ??= round();
  }, everyMs).unref();
  return {
    async stop() {
      stopping = true;
      clearInterval(timer);
      await work;
    },
  };
}
