import type { Deps } from '#deps.ts';
import { sealChangedDays, sealDays } from './seal-days.ts';

/** Not at once, so that a start, and calls that it brings in late, come first. */
const FIRST_MS = 20_000;
const EVERY_MS = 3_600_000;
/** Of the hourly rounds, so many pass before all days are looked at again. */
const ROUNDS_A_DAY = 24;

/** Sums up days as they become old enough, and anew where calls were written late. Returns what ends it. */
export function watchDays({ db, log, now }: Pick<Deps, 'db' | 'log' | 'now'>): { stop(): Promise<void> } {
  let round = 0;
  let work = Promise.resolve();
  const once = async (): Promise<void> => {
    try {
      if (round++ % ROUNDS_A_DAY === 0) await sealChangedDays(db);
      await sealDays(db, now());
    } catch (error) {
      log.warn({ err: error }, 'days not summed up');
    }
  };
  const begin = (): void => {
    work = work.then(once);
  };
  let timer = setTimeout(() => {
    begin();
    timer = setInterval(begin, EVERY_MS).unref();
  }, FIRST_MS).unref();
  return {
    async stop() {
      clearTimeout(timer);
      await work;
    },
  };
}
