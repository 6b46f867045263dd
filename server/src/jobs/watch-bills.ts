import type { Deps } from '#deps.ts';
import { fetchNightly } from '#features/books/bill-sources.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 600_000;

/** Fetches bills of providers every night, on one of the nodes. Returns a handle that stops it. */
export const watchBills = (deps: Deps): { stop(): Promise<void> } =>
  repeat({ name: 'bills', everyMs: EVERY_MS, failure: 'bills could not be fetched', log: deps.log }, async (isOver) => {
    if (await isFirstNode(deps)) await fetchNightly(deps, isOver);
  });
