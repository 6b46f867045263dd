import type * as Changes from './channel-change.ts';
import type * as Jobs from './channel-jobs.ts';
import type * as Tests from './channel-test.ts';

const tests = () => import('./channel-test.ts');

// What is done with channels comes when it is first wanted; the list itself comes without it.
export const testAndTell: typeof Tests.testAndTell = async (...given) => (await tests()).testAndTell(...given);
export const testAll: typeof Tests.testAll = async (...given) => (await tests()).testAll(...given);
export const updateBalance: typeof Tests.updateBalance = async (...given) => (await tests()).updateBalance(...given);
export const updateBalances: typeof Tests.updateBalances = async (...given) => (await tests()).updateBalances(...given);
export const unfreeze: typeof Tests.unfreeze = async (...given) => (await tests()).unfreeze(...given);
export const switchChannels: typeof Changes.switchChannels = async (...given) =>
  (await import('./channel-change.ts')).switchChannels(...given);
export const watchJob = async (...given: Parameters<typeof Jobs.watchJob>): Promise<void> =>
  (await import('./channel-jobs.ts')).watchJob(...given);
