import { pruneObjects } from '#affinity/upstream-objects.ts';
import type { BaseDeps } from '../base-deps.ts';
import { pruneRepeated } from '#features/token/repeated-request.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 600_000;

/** Removes stored responses, references to providers' objects and replies to repeated requests after their time. Returns a handle that stops it. */
export const watchObjects = ({ db, log, now }: Pick<BaseDeps, 'db' | 'log' | 'now'>): { stop(): Promise<void> } =>
  repeat({ everyMs: EVERY_MS, failure: 'removing expired responses failed', log }, async () => {
    await pruneObjects(db, now());
    await pruneRepeated(db, now());
  });
