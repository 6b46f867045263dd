import { wayApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import { sql } from 'kysely';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { serve } from '#http/serve.ts';
import { confirmWay, createWay, findWay, listWays, removeWay, testWay, updateWay } from './ways.ts';

export function wayRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, now } = deps;
  serve(app, deps, wayApi.list, (_, { viewer }) => listWays(deps, viewer));
  serve(app, deps, wayApi.create, ({ body }, { viewer }) => createWay(deps, body, viewer));
  serve(app, deps, wayApi.update, ({ body }, { viewer }) => updateWay(deps, body, viewer));
  serve(app, deps, wayApi.remove, async ({ params }, { viewer }) =>
    removeWay(deps, await findWay(deps, params.id, viewer)),
  );
  serve(app, deps, wayApi.test, async ({ params }, { viewer }) =>
    testWay(deps, await findWay(deps, params.id, viewer)),
  );
  serve(app, deps, wayApi.confirm, async ({ params }, { viewer }) =>
    confirmWay(deps, await findWay(deps, params.id, viewer)),
  );
  serve(app, deps, wayApi.deliveries, async ({ params, query }, { viewer }) => {
    const { id } = await findWay(deps, params.id, viewer);
    const rows = db
      .selectFrom('deliveries as d')
      .innerJoin('outbox as e', 'e.id', 'd.event_id')
      .where('d.way_id', '=', id)
      .select([
        'd.id',
        'e.type as event',
        'd.object',
        'd.status',
        'd.attempts',
        'd.created_at',
        'd.sent_at',
        'd.next_at',
      ])
      .select(['d.http_status', 'd.request', 'd.answer']);
    return pageOfRows(rows, query, { id: sql`d.id` });
  });
  serve(app, deps, wayApi.replay, async ({ params }, { viewer }) => {
    const { id } = await findWay(deps, params.id, viewer);
    const changed = await db
      .updateTable('deliveries')
      .set({ status: 'waiting', next_at: now(), attempts: 0, answer: '' })
      .where('id', '=', params.delivery)
      .where('way_id', '=', id)
      .returning('id')
      .executeTakeFirst();
    ensure(changed, 'record.not_found', { field: 'delivery' });
  });
}
