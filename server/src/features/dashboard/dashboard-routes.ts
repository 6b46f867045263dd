import { dashboardApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { clockOf } from '#features/analytics/analytics-period.ts';
import { tokensWithin } from '#features/token/tokens-within.ts';
import { serve } from '#http/serve.ts';
import { dashboardUsage } from './dashboard-usage.ts';

export function dashboardRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  serve(app, deps, dashboardApi.own, async ({ query }, { viewer }) => {
    const scope = { userId: viewer.id, tokenId: await tokensWithin(db, viewer, {}) };
    return dashboardUsage(db, scope, clockOf(query.time_zone), now());
  });
  serve(app, deps, dashboardApi.hub, ({ query }) => dashboardUsage(db, {}, clockOf(query.time_zone), now()));
}
