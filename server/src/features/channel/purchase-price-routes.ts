import type { PurchaseOffer, PurchasePrice, StoredPurchasePrice } from '@relay-hub/contract';
import { purchasePriceApi } from '@relay-hub/contract';
import type { FastifyInstance } from 'fastify';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { serve } from '#http/serve.ts';
import { findRow } from './channel-record.ts';

/** Own purchase prices of channels, and offers for the margin of a model. */
export function purchasePriceRoutes(app: FastifyInstance, deps: Deps): void {
  const { db, live, now } = deps;
  serve(app, deps, purchasePriceApi.offers, async ({ query: { model } }) => offersOf(deps, model));
  serve(app, deps, purchasePriceApi.list, async ({ params: { id } }) => {
    await findRow(db, id);
    return listOf(db, id);
  });
  serve(app, deps, purchasePriceApi.set, async ({ params: { id }, body: { prices } }) => {
    await findRow(db, id);
    await live.inForce('routes', replace(db, id, prices, now()));
    return listOf(db, id);
  });
}

/** By model, the latest first. */
async function listOf(db: Db, channelId: number): Promise<StoredPurchasePrice[]> {
  return db
    .selectFrom('purchase_prices')
    .where('channel_id', '=', channelId)
    .where('removed_time', '=', 0)
    .orderBy('model')
    .orderBy('valid_from', 'desc')
    .select(['id', 'model', 'type', 'input', 'output', 'extra_ratios', 'rules', 'fees', 'currency', 'rate'])
    .select('valid_from')
    .execute();
}

async function replace(db: Deps['db'], channelId: number, prices: readonly PurchasePrice[], now: number) {
  await db.transaction().execute(async (trx) => {
    const known = new Map((await listOf(trx, channelId)).map(({ id, ...price }) => [textOf(price), id]));
    const kept = new Set<number>();
    const added: PurchasePrice[] = [];
    for (const price of prices) {
      const id = known.get(textOf(price));
      if (id === undefined) added.push(price);
      else kept.add(id);
    }
    const gone = [...known.values()].filter((id) => !kept.has(id));
    for (const id of gone)
      await trx.updateTable('purchase_prices').set({ removed_time: now }).where('id', '=', id).execute();
    for (const { extra_ratios: extra, rules, fees, ...price } of added)
      await trx
        .insertInto('purchase_prices')
        .values({
          ...price,
          channel_id: channelId,
          extra_ratios: JSON.stringify(extra),
          rules: JSON.stringify(rules),
          fees: JSON.stringify(fees),
        })
        .execute();
  });
}

/** Equal for equal prices. */
const textOf = ({ extra_ratios: extra, rules, fees, ...price }: PurchasePrice): string =>
  JSON.stringify([Object.entries(price).toSorted(([a], [b]) => (a < b ? -1 : 1)), extra, rules, fees]);

function offersOf({ live, now }: Pick<Deps, 'live' | 'now'>, model: string): PurchaseOffer[] {
  const offers: PurchaseOffer[] = [];
  for (const channel of live.routes.channels()) {
    const { id, name, models, mapping, costRatio, purchases } = channel;
    if (!models.some((each) => each === model || (each.endsWith('*') && model.startsWith(each.slice(0, -1))))) continue;
    const own = purchases?.find([mapping.get(model) ?? model, model], now());
    if (own) {
      const { type, input, output, extra_ratios, rules = [], fees = [] } = own.price;
      const terms = { type, input, output, extra_ratios, rules, fees, currency: 'USD', rate: 1 };
      offers.push({ channel_id: id, channel: name, own: terms, rate: own.rate });
    } else if (costRatio !== undefined) offers.push({ channel_id: id, channel: name, own: null, rate: costRatio });
  }
  return offers;
}
