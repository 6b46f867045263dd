import { DEFAULT_API_RATE, DEFAULT_RATIO, userGroupApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as ends from './end-user-group.ts';
import * as groups from './user-group-queries.ts';

export function userGroupRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live } = deps;
  const modelsOf = (symbol: string) => live.routes.modelsOf(symbol);

  serve(app, deps, userGroupApi.list, ({ query }) => groups.listUserGroups(db, query, modelsOf));
  serve(app, deps, userGroupApi.get, ({ params }) => groups.getUserGroup(db, params.id, modelsOf));
  serve(app, deps, userGroupApi.create, ({ body: { keep_zero: keepZero, ...group } }) => {
    // A group that is free by mistake costs the operator money; one that is not is noticed.
    const ratio = keepZero ? group.ratio : group.ratio || DEFAULT_RATIO;
    const api_rate = keepZero ? group.api_rate : group.api_rate || DEFAULT_API_RATE;
    return live.inForce('groups', groups.createUserGroup(db, { ...group, ratio, api_rate }));
  });
  serve(app, deps, userGroupApi.update, ({ body }) => live.inForce('groups', ends.updateUserGroup(db, body)));
  serve(app, deps, userGroupApi.toggle, ({ params, query: { enable } }) =>
    live.inForce('groups', ends.switchUserGroup(db, params.id, enable && enable === 'true')),
  );
  serve(app, deps, userGroupApi.remove, async ({ params, query: { replacement } }) => {
    await ends.removeUserGroup(db, params.id, replacement);
    // Moved users call with their new group from now on, and its channels serve them.
    if (replacement !== '') for (const change of ['callers', 'routes'] as const) await live.changed(change);
    await live.changed('groups');
  });

  serve(app, deps, userGroupApi.symbols, async () => [...live.groups.keys()]);
  serve(app, deps, userGroupApi.map, async (_, { viewer }) => {
    const seen = [...live.groups.values()].filter((group) => group.public || group.symbol === viewer?.group);
    return Object.fromEntries(seen.map((group) => [group.symbol, group]));
  });
}
