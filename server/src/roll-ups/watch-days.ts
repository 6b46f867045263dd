import type { BaseDeps } from '#base-deps.ts';
import { sealChangedDays, sealDays } from './seal-days.ts';

/** Delay of the first round, so that startup and late settlements come first. */
const FIRST_MS = 20_000;
const EVERY_MS = 3_600_000;
/** Hourly rounds between two checks of all days for late calls. */
const ROUNDS_A_DAY = 24;

/** Seals finished days, and seals days again after late calls. Returns a handle that stops it. */
export function watchDays({ db, log, now }: Pick<BaseDeps, 'db' | 'log' | 'now'>): { stop(): Promise<void> } {
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
