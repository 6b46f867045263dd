import { redemptionApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { clientIp } from '#http/client-ip.ts';
import { csv } from '#http/csv.ts';
import { personOf } from '#http/session/session.ts';
import { serve, serveFile } from '#http/serve.ts';
import { redeem } from './redeem.ts';
import { withoutGuessing } from './redeem-throttle.ts';
import * as changes from './redemption-changes.ts';
import { codesOf, csvColumns } from './redemption-csv.ts';
import * as redemptions from './redemption-queries.ts';

export function redemptionRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, secrets, limiter, config, live, now } = deps;

  serve(app, deps, redemptionApi.list, ({ query }) => redemptions.listRedemptions(db, query, now()));
  serve(app, deps, redemptionApi.totals, ({ query }) => redemptions.totalsOf(db, query, now()));
  serve(app, deps, redemptionApi.get, ({ params }) => redemptions.getRedemption(db, params.id));

  serveFile(app, deps, redemptionApi.download, async ({ query }, { language }) => ({
    name: 'redemption.csv',
    pieces: csv(csvColumns(language, query.time_zone, now()), codesOf(db, secrets, query, now())),
  }));

  serve(app, deps, redemptionApi.create, ({ body }, { viewer }) => changes.createRedemptions(deps, viewer.id, body));

  serve(app, deps, redemptionApi.reveal, async ({ params }) => ({
    key: await redemptions.revealCode(db, secrets, params.id),
  }));

  serve(app, deps, redemptionApi.update, async ({ query, body: { id, status: sent, ...rest } }, { ignored }) => {
    if (query.status_only !== '') {
      for (const field of Object.keys(rest)) ignored(field);
      return changes.updateRedemption(db, { id, status: sent }, now());
    }
    // A status that is sent back as it was read is no change.
    const given = sent === (await redemptions.getRedemption(db, id)).status ? undefined : sent;
    const status = live.settings.FamilyMode ? undefined : given;
    if (status !== given) ignored('status');
    return changes.updateRedemption(db, { id, ...rest, status }, now());
  });
  serve(app, deps, redemptionApi.remove, ({ params }) => changes.removeRedemption(db, params.id, now()));
  serve(app, deps, redemptionApi.restore, ({ params }) => changes.restoreRedemption(db, params.id));
  serve(app, deps, redemptionApi.removeInvalid, ({ query }) => changes.removeInvalid(db, query.statuses, now()));

  serve(app, deps, redemptionApi.redeem, ({ body }, { viewer: user, request, language }) => {
    const ip = clientIp(request.raw, config.trustedProxies);
    const paying = { now: now(), live };
    const person = personOf(user);
    return withoutGuessing(limiter, { userId: person, ip }, () =>
      redeem(db, body.key, { user, person, ip, language }, paying),
    );
  });
}
