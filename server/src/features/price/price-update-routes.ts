import { priceChangeApi, priceUpdateApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { changedPrices, getChange, listChanges } from './price-change-queries.ts';
import { undoChange } from './undo-change.ts';
import { applyUpdate, previewUpdate, syncPrices } from './update-prices.ts';

export function priceUpdateRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const by = (viewer: { id: number }) => ({ actorId: viewer.id, now: now() });
  const served = (model: string) => [...live.groups.keys()].some((group) => live.routes.serves(group, model));

  serve(app, deps, priceChangeApi.list, ({ query }) => listChanges(db, query));
  serve(app, deps, priceChangeApi.get, async ({ params }) => ({
    ...(await getChange(db, params.id)),
    prices: await changedPrices(db, params.id),
  }));
  serve(app, deps, priceChangeApi.undo, ({ params }, { viewer }) =>
    live.inForce('prices', undoChange(db, params.id, by(viewer))),
  );

  serve(app, deps, priceUpdateApi.preview, ({ body }, { viewer, language }) =>
    previewUpdate(deps, body, served, { ...by(viewer), language }),
  );
  serve(app, deps, priceUpdateApi.apply, ({ body }, { viewer }) =>
    live.inForce('prices', applyUpdate(db, body, by(viewer))),
  );
  serve(app, deps, priceUpdateApi.sync, ({ query, body }, { viewer, language }) =>
    live.inForce(
      'prices',
      syncPrices(db, body, query.overwrite === 'true' ? 'overwrite' : 'add', { ...by(viewer), language }),
    ),
  );
}
