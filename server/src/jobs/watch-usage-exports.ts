import type { Deps } from '#deps.ts';
import { CommittedIds } from '#features/usage-export/committed-ids.ts';
import { sendUsage } from '#features/usage-export/send-usage.ts';
import { isFirstNode } from './first-node.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 5_000;

/** Sends charged calls to billing systems, on one of the nodes. Returns a handle that stops it. */
export function watchUsageExports(deps: Deps): { stop(): Promise<void> } {
  const committed = new CommittedIds();
  return repeat(
    { name: 'usageExports', everyMs: EVERY_MS, failure: 'usage was not exported', log: deps.log },
    async (isOver) => {
      if (await isFirstNode(deps)) await sendUsage(deps, committed, isOver);
    },
  );
}
