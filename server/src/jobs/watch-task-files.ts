import type { Deps } from '#deps.ts';
import { fetchDueFiles, pruneFiles } from '#tasks/media/fetch-files.ts';
import { forgetNotifications, planNotifications, sendNotifications } from '#tasks/notify/notify-callers.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 2_000;
/** Files fetched at the same time: a slow vendor does not stop the others. */
const FETCHES = 4;
const CLEANED_EVERY_MS = 300_000;

/**
 * Copies result files into the store and notifies callers of their tasks, apart from each other and from polls. Every
 * node takes part. Returns a handle that stops it; a running transfer is aborted and repeated later.
 */
export function watchTaskFiles(deps: Deps): { stop(): Promise<void> } {
  const { log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const jobs = [
    ...Array.from({ length: FETCHES }, () =>
      repeat({ name: 'files', everyMs: EVERY_MS, failure: 'storing result files failed', log }, () =>
        fetchDueFiles(deps, signal),
      ),
    ),
    repeat({ name: 'fileNotices', everyMs: EVERY_MS, failure: 'planning notifications failed', log }, () =>
      planNotifications(deps),
    ),
    repeat({ name: 'callers', everyMs: EVERY_MS, failure: 'notifying callers failed', log }, () =>
      sendNotifications(deps, signal),
    ),
    repeat({ name: 'fileClean', everyMs: CLEANED_EVERY_MS, failure: 'removing result files failed', log }, async () => {
      await pruneFiles(deps);
      await deps.contentLog.prune(deps.live.settings.ContentLogDays, deps.now());
      await forgetNotifications(deps);
    }),
  ];
  return {
    async stop() {
      stopping.abort();
      await Promise.all(jobs.map((job) => job.stop()));
    },
  };
}
