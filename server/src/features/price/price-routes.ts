import type { PriceInput } from '@relay-hub/contract';
import { priceApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import * as prices from './price-queries.ts';

export function priceRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;

  serve(app, deps, priceApi.list, async ({ query }) =>
    query.type === 'default' ? prices.builtInPrices() : prices.listPrices(db),
  );
  serve(app, deps, priceApi.create, ({ body }) => live.inForce('prices', prices.createPrice(db, body, now())));
  serve(app, deps, priceApi.update, ({ params, body }) =>
    live.inForce('prices', prices.updatePrice(db, params.model, body, now())),
  );
  serve(app, deps, priceApi.remove, ({ params }) =>
    live.inForce('prices', prices.removePrice(db, params.model, now())),
  );

  serve(app, deps, priceApi.names, async () => {
    const priced = await db.selectFrom('prices').where('valid_to', 'is', null).select('model').execute();
    const served = [...live.groups.keys()].flatMap((group) => live.routes.modelsOf(group));
    return [...new Set([...priced.map(({ model }) => model), ...served])].toSorted();
  });

  serve(app, deps, priceApi.available, async (_, { viewer }) => {
    const owners = new Map(
      (await db.selectFrom('model_owners').selectAll().execute()).map(({ id, name }) => [id, name]),
    );
    const groups = [...live.groups.values()].filter((group) => group.public || group.symbol === viewer?.group);
    // A map: a model may be called `constructor`.
    const available = new Map<string, { groups: string[]; owned_by: string; price: PriceInput | null }>();
    for (const { symbol } of groups) {
      for (const model of live.routes.modelsOf(symbol)) {
        const known = available.get(model);
        if (known) {
          known.groups.push(symbol);
          continue;
        }
        const price = live.prices.find(model);
        available.set(model, {
          groups: [symbol],
          owned_by: owners.get(price?.channel_type ?? 0) ?? 'unknown',
          price: price
            ? {
                model: price.model || model,
                type: price.type,
                channel_type: price.channel_type,
                input: price.input,
                output: price.output,
                extra_ratios: price.extra_ratios,
              }
            : null,
        });
      }
    }
    return Object.fromEntries(available);
  });
}
