import { type PriceChange, priceChangeApi, priceUpdateApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Kysely } from 'kysely';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { changedPrices, getChange, listChanges } from './price-change-queries.ts';
import { applyUpdate, previewUpdate, syncPrices } from './update-prices.ts';
import { changePrices, type PriceChangeContext } from './change-prices.ts';
import { lean, priceColumns, withKeptTerms } from './price-queries.ts';
import { someNames } from './some-names.ts';

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

/**
 * Restores the prices before a change as new versions; later changes to other models stay. Throws `price.edited_since`
 * with the prices that were changed again, and `price.undone`.
 */
async function undoChange(db: Kysely<Tables>, id: number, act: PriceChangeContext): Promise<PriceChange | null> {
  const { change } = await changePrices(db, { ...act, kind: 'undo' }, async (inForce, trx) => {
    const { undone } = await getChange(trx, id);
    ensure(!undone, 'price.undone');
    const versions = trx.selectFrom('prices').select(priceColumns);
    const begun = await versions.where('begun_by', '=', id).execute();
    const ended = await versions.where('ended_by', '=', id).execute();

    const left = new Map<string, number | undefined>(ended.map(({ model }) => [model, undefined]));
    for (const { model, version } of begun) left.set(model, version);
    const edited = [...left].filter(([model, version]) => inForce.get(model)?.version !== version);
    ensure(edited.length === 0, 'price.edited_since', someNames(edited.map(([model]) => model)));
    const restored = new Set(ended.map(({ model }) => model));
    return {
      set: ended.map((row) => withKeptTerms(lean(row), undefined)),
      end: begun.map(({ model }) => model).filter((model) => !restored.has(model)),
      undoes: id,
    };
  });
  return change;
}
