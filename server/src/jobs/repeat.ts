import type { JobName } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { isOutage } from '#db/outage.ts';

interface RepeatOptions {
  name: JobName;
  everyMs: number;
  /** The first round runs at the start. */
  atOnce?: boolean;
  /** Logged with the error of a round that failed; the next round runs as usual. */
  failure: string;
  log: Pick<Logger, 'warn'>;
}

/** The last round of a job. */
interface JobRound {
  name: JobName;
  endedMs: number;
  tookMs: number;
  /** Rounds that failed since the last one that did not. */
  count: number;
  /** Of the last round, if it failed. */
  error: unknown;
}

/** Last rounds of the jobs of each hub in this process, by their `failure`. */
const rounds = new WeakMap<object, Map<string, JobRound>>();

/** The last rounds of all jobs that ran. */
export const jobRounds = (log: object): readonly JobRound[] => [...(rounds.get(log)?.values() ?? [])];

/** The jobs whose last rounds failed, by their `failure`. */
export const failingJobs = (log: object): ReadonlyMap<string, JobRound> =>
  new Map([...(rounds.get(log) ?? [])].filter(([, { count }]) => count > 0));

/** Forgets failures for lack of the database, which is the trouble itself. */
export function forgetOutages(log: object): void {
  for (const [, round] of failingJobs(log))
    if (isOutage(round.error)) Object.assign(round, { count: 0, error: undefined });
}

function noteRound(
  { log, name, failure }: Pick<RepeatOptions, 'log' | 'name' | 'failure'>,
  beganMs: number,
  failed?: { error: unknown },
): void {
  const jobs = rounds.get(log) ?? new Map<string, JobRound>();
  rounds.set(log, jobs);
  jobs.set(failure, {
    name,
    endedMs: Date.now(),
    tookMs: performance.now() - beganMs,
    count: failed ? (jobs.get(failure)?.count ?? 0) + 1 : 0,
    error: failed?.error,
  });
}

/**
 * Runs a job at intervals, one round at a time: a round that takes longer delays the next one. `isOver` tells a running
 * round to end early. Returns a handle that stops it and waits for the running round.
 */
export function repeat(
  options: RepeatOptions,
  job: (isOver: () => boolean) => Promise<unknown>,
): { stop(): Promise<void> } {
  const { everyMs, failure, log } = options;
  let stopping = false;
  let work: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    const beganMs = performance.now();
    try {
      await job(() => stopping);
      noteRound(options, beganMs);
    } catch (error) {
      noteRound(options, beganMs, { error });
      log.warn({ err: error }, failure);
    } finally {
      work = undefined;
    }
  };
  if (options.atOnce) work = round();
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
