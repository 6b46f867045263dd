import { groupPrices, priceApi } from '@relay-hub/contract';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Deps } from '#deps.ts';
import { bareData, serve } from '#http/serve.ts';
import { availableModels } from './available-models.ts';
import * as edit from './edit-prices.ts';
import { builtInPrices, getVersion, listPrices, listVersions } from './price-queries.ts';
import { priceGaps, unpricedModels } from './unpriced-models.ts';

export function priceRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  const inForce = <T>(work: Promise<T>): Promise<T> => live.inForce('prices', work);
  const by = (viewer: { id: number }) => ({ actorId: viewer.id, now: now() });

  serve(app, deps, priceApi.list, async ({ query }, { reply }) => {
    readableAnywhere(reply);
    if (query.type === 'old') bareData(reply);
    return query.type === 'default' ? builtInPrices() : listPrices(db);
  });
  for (const { path } of [priceApi.list, priceApi.available]) app.options(path, answerPreflight);
  serve(app, deps, priceApi.groups, async () => groupPrices(await listPrices(db)));
  serve(app, deps, priceApi.unpriced, async () => unpricedModels(live));
  serve(app, deps, priceApi.gaps, async () => priceGaps(live, now()));
  serve(app, deps, priceApi.history, ({ params }) => listVersions(db, params.model));
  serve(app, deps, priceApi.version, ({ params }) => getVersion(db, params.version));
  serve(app, deps, priceApi.names, async () => {
    const priced = await db.selectFrom('prices').where('valid_to', 'is', null).select('model').execute();
    const served = [...live.groups.keys()].flatMap((group) => live.routes.modelsOf(group));
    return [...new Set([...priced.map(({ model }) => model), ...served])].toSorted();
  });
  serve(app, deps, priceApi.available, async (_, { viewer, reply }) => {
    readableAnywhere(reply);
    return availableModels(live, viewer?.group);
  });

  serve(app, deps, priceApi.create, ({ body }, { viewer }) => inForce(edit.createPrice(db, body, by(viewer))));
  serve(app, deps, priceApi.update, ({ params, body }, { viewer }) =>
    inForce(edit.updatePrice(db, params.model, body, by(viewer))),
  );
  serve(app, deps, priceApi.remove, ({ params }, { viewer }) =>
    inForce(edit.removePrices(db, [params.model], 'model', by(viewer))),
  );
  serve(app, deps, priceApi.setGroup, ({ body }, { viewer }) => inForce(edit.setPriceGroup(db, body, by(viewer))));
  serve(app, deps, priceApi.setMany, ({ body }, { viewer }) => inForce(edit.setPrices(db, body.prices, by(viewer))));
  serve(app, deps, priceApi.removeMany, ({ body }, { viewer }) =>
    inForce(edit.removePrices(db, body.models, 'models', by(viewer))),
  );
}

/** Lets another site's page add headers to its read. */
async function answerPreflight(_: unknown, reply: FastifyReply): Promise<void> {
  readableAnywhere(reply);
  void reply
    .header('access-control-allow-methods', 'GET, OPTIONS')
    .header('access-control-allow-headers', 'Authorization, *')
    .header('access-control-max-age', '43200')
    .status(204)
    .send();
}

/** Allows cross-origin reads without a session, for other sites' price pages, as one-hub servers do. */
function readableAnywhere(reply: FastifyReply): void {
  void reply.header('access-control-allow-origin', '*');
}
