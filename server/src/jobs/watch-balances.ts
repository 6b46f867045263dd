import type { BaseDeps } from '#base-deps.ts';
import { mailAnnouncements } from './mail-announcements.ts';
import { isFirstNode } from './first-node.ts';
import { type Failed, remindBalances, type RemindDeps } from './remind-balances.ts';
import { remindExpiry } from './remind-expiry.ts';
import { remindLimits } from './remind-limits.ts';
import { remindRenewals } from './remind-renewals.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 60_000;

/** Sends reminders of balances, renewals, limits and expiry, and announcements, once a minute, on one of the nodes. Returns a handle that stops it. */
export function watchBalances(deps: RemindDeps & Pick<BaseDeps, 'nodeId' | 'config'>): { stop(): Promise<void> } {
  const failed: Failed = new Map();
  const failedRenewals: Failed = new Map();
  return repeat(
    { name: 'balances', everyMs: EVERY_MS, failure: 'balance reminders failed', log: deps.log },
    async (isOver) => {
      if (!(await isFirstNode(deps))) return;
      await remindBalances(deps, failed, isOver);
      await remindRenewals(deps, failedRenewals, isOver);
      await remindLimits(deps, isOver);
      await remindExpiry(deps, isOver);
      await mailAnnouncements(deps, isOver);
    },
  );
}
