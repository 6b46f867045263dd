import { pruneObjects } from '#affinity/upstream-objects.ts';
import type { Deps } from '#deps.ts';
import { pruneRepeated } from '#features/token/repeated-request.ts';
import { removeExpiredObjects } from '#tasks/objects/remove-expired.ts';
import { repeat } from './repeat.ts';

/** Containers are billed by the minute. */
const EVERY_MS = 60_000;

/**
 * Removes stored responses, cached replies, references to providers' objects and replies to repeated requests after their time, and
 * deletes objects at providers whose paid time is over. Returns a handle that stops it.
 */
export const watchObjects = (deps: Deps): { stop(): Promise<void> } =>
  repeat(
    { name: 'objects', everyMs: EVERY_MS, failure: 'removing expired responses failed', log: deps.log },
    async (isOver) => {
      await pruneObjects(deps.db, deps.now());
      await pruneRepeated(deps.db, deps.now());
      await deps.replyCache.tidy(isOver);
      await removeExpiredObjects(deps, isOver);
    },
  );
