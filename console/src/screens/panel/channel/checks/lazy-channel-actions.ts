const tests = () => import('./channel-test.ts');
const changes = () => import('#screens/panel/channel/bulk/channel-actions.ts');
const jobs = () => import('./channel-jobs.ts');

/** A function of a module that is loaded on its first call. */
const later = <M, K extends keyof M>(load: () => Promise<M>, name: K): M[K] =>
  (async (...given: never[]) => ((await load())[name] as (...given: never[]) => unknown)(...given)) as M[K];

// Actions are loaded on demand, so that the list loads without them.
export const testWithToast = later(tests, 'testWithToast');
export const testAll = later(tests, 'testAll');
export const updateBalance = later(tests, 'updateBalance');
export const updateBalances = later(tests, 'updateBalances');
export const unfreeze = later(tests, 'unfreeze');
export const askForResponses = later(tests, 'askForResponses');
export const switchChannels = later(changes, 'switchChannels');
export const channelsOff = later(changes, 'channelsOff');
export const untag = later(changes, 'untag');
export const saveNumber = later(changes, 'saveNumber');
export const watchJob = later(jobs, 'watchJob');
