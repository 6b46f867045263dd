import { paymentApi, role } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { serve } from '#http/serve.ts';
import { gatewayForms } from '#payments/registry.ts';
import * as changes from './gateway-changes.ts';
import { getGateway, listGateways } from './gateway-queries.ts';

/** Routes that manage payment gateways. */
export function paymentRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;

  serve(app, deps, paymentApi.list, ({ query }) => listGateways(db, deps, query));
  serve(app, deps, paymentApi.types, async () => gatewayForms());
  serve(app, deps, paymentApi.get, ({ params }) => getGateway(db, deps, params.id));
  serve(app, deps, paymentApi.create, ({ body }) => changes.createGateway(deps, body));
  serve(app, deps, paymentApi.update, async ({ body }, { viewer }) => {
    // Keys decide which notifications are believed, and so who gets credits.
    ensure(viewer.role >= role.root || !(await changes.changesTrust(deps, body)), 'session.role');
    return changes.updateGateway(deps, body);
  });
  serve(app, deps, paymentApi.arrange, ({ body }) => changes.arrangeGateways(db, body.ids));
  serve(app, deps, paymentApi.remove, ({ params }) => changes.removeGateway(db, params.id, now()));
  serve(app, deps, paymentApi.restore, async ({ params }) => {
    await changes.restoreGateway(db, params.id);
    return getGateway(db, deps, params.id);
  });
  serve(app, deps, paymentApi.test, ({ params }) => changes.testGateway(deps, params.id));
}
