import { activityApi, type ActivityDays } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensureManages } from '#features/account/access/user-rank.ts';
import { findRow } from '#features/channel/channel-record.ts';
import { getManagedToken } from '#features/token/token-admin-queries.ts';
import { checkHolder, getToken } from '#features/token/token-queries.ts';
import { serve } from '#http/serve.ts';
import { activityOfChannel, activityOfModel, activityOfToken, activityOfUser } from './activity-of.ts';
import { activityPeriod } from './activity-period.ts';

/** Recent activity of records, for those who may read the record. */
export function activityRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  const within = (days: ActivityDays) => activityPeriod(days, now());
  // Makes refusals visible to a read that follows them.
  const caughtUp = () => deps.refusals.caughtUp();

  serve(app, deps, activityApi.channel, async ({ params: { id }, query }) => {
    await findRow(db, id);
    await deps.live.keyAttempts.flush();
    return activityOfChannel(db, id, within(query.days));
  });
  serve(app, deps, activityApi.user, async ({ params, query }, { viewer }) => {
    await ensureManages(db, viewer, params.id);
    await caughtUp();
    return activityOfUser(db, params.id, within(query.days));
  });
  serve(app, deps, activityApi.model, ({ query }) => activityOfModel(db, query.model, within(query.days)));
  serve(app, deps, activityApi.token, async ({ params, query }, { viewer }) => {
    const token = await getManagedToken(db, viewer, params.id, now());
    await caughtUp();
    return activityOfToken(db, token, within(query.days), false);
  });
  serve(app, deps, activityApi.ownToken, async ({ params, query }, { viewer }) => {
    await checkHolder(db, viewer, params.id);
    const token = await getToken(db, viewer.id, params.id, now());
    await caughtUp();
    return activityOfToken(db, token, within(query.days), true);
  });
}
