import { planAdminApi, planApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { outranks } from '#features/account/access/user-rank.ts';
import { getUser } from '#features/account/user/user-record.ts';
import { serve } from '#http/serve.ts';
import { buyPlan, changePlan, heldSubscription, refundPlan, type Trx } from './plan-money.ts';
import * as plans from './plan-queries.ts';

export function planRoutes(app: FastifyInstance, deps: Deps): void {
  const { book, db, live, now } = deps;
  /** Runs a change of an account's subscription with all its credits at hand, and puts it in force on every node. */
  const changing = async <T>(userId: number, change: (trx: Trx) => Promise<T>): Promise<T> => {
    await book.recall(userId);
    const result = await db.transaction().execute(change);
    await live.usersChanged(userId);
    return result;
  };

  serve(app, deps, planApi.offers, () => plans.offersOf(db, now()));
  serve(app, deps, planApi.mine, async (_, { viewer }) => {
    await book.caughtUp();
    return plans.subscriptionsOf(db, { userId: viewer.id, isOpen: true }, now());
  });
  serve(app, deps, planApi.buy, async ({ body }, { viewer }) => {
    const { version_id: versionId, request_key: requestKey, ...wishes } = body;
    const bought = { userId: viewer.id, actorId: viewer.id, versionId, requestKey, ...wishes, now: now() };
    const id = await changing(viewer.id, (trx) => buyPlan(trx, { ...bought, source: 'balance' }));
    return plans.getSubscription(db, id, now());
  });
  serve(app, deps, planApi.set, async ({ params: { id }, body }, { viewer }) => {
    await changing(viewer.id, async (trx) => {
      const { status, source, version_id } = await heldSubscription(trx, id, viewer.id);
      ensure(status !== 'ended', 'plan.ended', { field: 'id' });
      const { terms } = await trx
        .selectFrom('plan_versions')
        .where('id', '=', version_id)
        .select('terms')
        .executeTakeFirstOrThrow();
      ensure(body.beyond === undefined || terms.beyond === 'choice', 'plan.beyond', { field: 'beyond' });
      const isGiven = source === 'gift' || source === 'code';
      ensure(!body.renew || !isGiven, 'plan.given', { field: 'renew' });
      await trx
        .updateTable('subscriptions')
        .set({ ...body, updated_time: now() })
        .where('id', '=', id)
        .execute();
    });
    return plans.getSubscription(db, id, now());
  });
  serve(app, deps, planApi.change, async ({ params: { id }, body }, { viewer }) => {
    const change = { subscriptionId: id, versionId: body.version_id, userId: viewer.id, now: now() };
    await changing(viewer.id, (trx) => changePlan(trx, change));
    return plans.getSubscription(db, id, now());
  });

  serve(app, deps, planAdminApi.list, async () => {
    await book.caughtUp();
    return plans.listPlans(db, now());
  });
  serve(app, deps, planAdminApi.get, ({ params: { id } }) => plans.getPlan(db, id, now()));
  serve(app, deps, planAdminApi.create, async ({ body }) =>
    plans.getPlan(db, await plans.createPlan(db, body, now()), now()),
  );
  serve(app, deps, planAdminApi.update, async ({ params: { id }, body }) => {
    await plans.updatePlan(db, id, body, now());
    return plans.getPlan(db, id, now());
  });
  serve(app, deps, planAdminApi.remove, ({ params: { id } }) => plans.removePlan(db, id));
  serve(app, deps, planAdminApi.subscriptions, async ({ params: { id } }) => {
    await plans.getPlan(db, id, now());
    await book.caughtUp();
    return plans.subscriptionsOf(db, { planId: id }, now());
  });
  serve(app, deps, planAdminApi.give, async ({ params, body: { user_id: userId, request_key } }, { viewer }) => {
    const user = await getUser(db, userId);
    ensure(user.id === viewer.id || outranks(viewer, user), 'user.rank');
    const { version_id: versionId } = await plans.getPlan(db, params.id, now());
    const given = { userId, versionId, requestKey: request_key, actorId: viewer.id, now: now() };
    const wishes = { start: 'now', renew: false, beyond: true, source: 'gift' } as const;
    const id = await changing(userId, (trx) => buyPlan(trx, { ...given, ...wishes }));
    return plans.getSubscription(db, id, now());
  });
  serve(app, deps, planAdminApi.manage, async ({ params: { id }, body: { action } }, { viewer }) => {
    const { user_id: userId } = await plans.getSubscription(db, id, now());
    const user = await getUser(db, userId);
    ensure(user.id === viewer.id || outranks(viewer, user), 'user.rank');
    await changing(userId, async (trx) => {
      if (action === 'refund') return refundPlan(trx, { subscriptionId: id, actorId: viewer.id, now: now() });
      const { status } = await heldSubscription(trx, id);
      ensure(status !== 'ended', 'plan.ended', { field: 'id' });
      const change =
        action === 'cancel'
          ? { renew: false }
          : { status: action === 'pause' ? ('paused' as const) : ('active' as const) };
      await trx
        .updateTable('subscriptions')
        .set({ ...change, updated_time: now() })
        .where('id', '=', id)
        .execute();
    });
    return plans.getSubscription(db, id, now());
  });
}
