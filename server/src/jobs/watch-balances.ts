import type { BaseDeps } from '#base-deps.ts';
import { isFirstNode } from './first-node.ts';
import { type Failed, remindBalances, type RemindDeps } from './remind-balances.ts';

const EVERY_MS = 60_000;

/** Sends balance reminders once a minute, on one of the nodes. Returns a handle that stops it. */
export function watchBalances(deps: RemindDeps & Pick<BaseDeps, 'nodeId'>): { stop(): Promise<void> } {
  const failed: Failed = new Map();
  let stopping = false;
  let work: Promise<void> | undefined;
  const round = async (): Promise<void> => {
    try {
      if (await isFirstNode(deps)) await remindBalances(deps, failed, () => stopping);
    } catch (error) {
      deps.log.warn({ err: error }, 'balance reminders failed');
    } finally {
      work = undefined;
    }
  };
  // A round with many mails may take longer than a minute.
  const timer = setInterval(() => {
    work ??= round();
  }, EVERY_MS).unref();
  return {
    async stop() {
      stopping = true;
      clearInterval(timer);
      await work;
    },
  };
}
