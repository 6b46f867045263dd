import type { Deps } from '#deps.ts';
import { renewPlan } from '#features/plan/plan-money.ts';
import { repeat } from './repeat.ts';

const EVERY_MS = 30_000;
const AT_ONCE = 200;

/** Renews or ends subscriptions whose period is over. Every node takes part. Returns a handle that stops it. */
export function watchPlans(deps: Deps): { stop(): Promise<void> } {
  return repeat({ name: 'plans', everyMs: EVERY_MS, failure: 'renewing plans failed', log: deps.log }, (isOver) =>
    renewPlans(deps, isOver),
  );
}

/** Renews or ends due subscriptions, one per transaction. Returns the number of renewals. */
export async function renewPlans(deps: Deps, isOver: () => boolean = () => false): Promise<number> {
  const { book, db, live, log, now } = deps;
  let renewed = 0;
  for (let after = 0; ;) {
    const due = await db
      .selectFrom('subscriptions')
      .where('status', '<>', 'ended')
      .where('ends', '<=', now())
      .where('id', '>', after)
      .select(['id', 'user_id'])
      .orderBy('id')
      .limit(AT_ONCE)
      .execute();
    for (const { id, user_id: userId } of due) {
      if (isOver()) return renewed;
      after = id;
      try {
        // A renewal has to find the credits that nodes hold for no call.
        await book.recall(userId);
        const outcome = await db.transaction().execute((trx) => renewPlan(trx, id, now()));
        if (outcome === 'renewed') renewed++;
        if (outcome !== 'not_due') await live.usersChanged(userId);
      } catch (error) {
        // One that fails must not stop the others; the next round tries again.
        log.warn({ err: error, subscription: id }, 'a plan could not be renewed');
      }
    }
    if (due.length < AT_ONCE) return renewed;
  }
}
