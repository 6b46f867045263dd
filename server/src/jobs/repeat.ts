import type { Logger } from 'pino';

interface RepeatOptions {
  everyMs: number;
  /** Logged with the error of a round that failed; the next round runs as usual. */
  failure: string;
  log: Pick<Logger, 'warn'>;
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
    } catch (error) {
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
