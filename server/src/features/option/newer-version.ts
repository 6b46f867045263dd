import type { NewerVersion } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { checkUpdate } from './check-update.ts';

const DAY_S = 24 * 3600;
/** After a source that failed. */
const RETRY_S = 3600;

const none: NewerVersion = { version: '', address: '' };

/**
 * Returns a function that gives the newest version at the configured source, if it is newer than the running one. The
 * source is read at most once a day, and only while administrators use the console; its failures are logged.
 */
export function newerVersionCheck(deps: Deps): () => Promise<NewerVersion> {
  let source = '';
  let found = none;
  let nextTime = 0;
  let reading: Promise<void> | undefined;

  const read = async (): Promise<void> => {
    try {
      const newest = (await checkUpdate(deps)).releases[0];
      found = newest?.newer ? { version: newest.version, address: newest.address } : none;
      nextTime = deps.now() + DAY_S;
    } catch (error) {
      deps.log.warn({ err: error }, 'reading the update source failed');
      nextTime = deps.now() + RETRY_S;
    }
  };
  return async () => {
    const { UpdateSource } = deps.live.settings;
    if (UpdateSource !== source) {
      await reading;
      [source, found, nextTime] = [UpdateSource, none, 0];
    }
    if (source === '') return none;
    if (deps.now() >= nextTime) await (reading ??= read().finally(() => (reading = undefined)));
    return found;
  };
}
