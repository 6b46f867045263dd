import type { Price, PriceChange, PriceInput, PriceSource } from '@relay-hub/contract';
import { samePrice } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { touch } from '#live/revisions.ts';
import { asRow, lean, listPrices, priceColumns, withKeptTerms } from './price-queries.ts';
import { getChange } from './price-change-queries.ts';

export type InForce = ReadonlyMap<string, Price>;

/** A price to activate. Absent `extra_ratios`, `rules` and `fees` stay those that the model has. */
export type PriceToSet = PriceInput & { source: PriceSource };

export interface Plan {
  set: PriceToSet[];
  /** Models that lose their price. */
  end: string[];
  /** The change that this one undoes. */
  undoes?: number;
}

/** The author and kind of a change, for its record. */
export interface PriceChangeContext {
  actorId: number;
  now: number;
  kind?: PriceChange['kind'];
  mode?: PriceChange['mode'];
  source?: string;
}

export interface Changed {
  /** Null if nothing differs from the active prices. */
  change: PriceChange | null;
  /** The prices that the change activated. */
  begun: Price[];
}

const someAtOnce = 100;

/**
 * The only writer of prices: applies a plan made from the active prices in one transaction, each price as a new version
 * valid from now. Changes are serialised across nodes, so that no plan is based on outdated prices. Unchanged prices
 * keep their version.
 */
export async function changePrices(
  db: Kysely<Tables>,
  act: PriceChangeContext,
  plan: (inForce: InForce, trx: Transaction<Tables>) => Plan | Promise<Plan>,
): Promise<Changed> {
  return db.transaction().execute(async (trx) => {
    // Also the lock, held until the transaction ends.
    await touch(trx, 'prices');
    const inForce: InForce = new Map((await listPrices(trx)).map((price) => [price.model, price]));
    const planned = await plan(inForce, trx);
    const set = planned.set.map((price) => withKeptTerms(price, inForce.get(price.model))).filter(differsFrom(inForce));
    const dropped = planned.end.filter((model) => inForce.has(model));
    if (set.length === 0 && dropped.length === 0) return { change: null, begun: [] };

    const replaced = set.filter(({ model }) => inForce.has(model)).map(({ model }) => model);
    const { id } = await trx
      .insertInto('price_changes')
      .values({
        kind: act.kind ?? 'edit',
        mode: act.mode ?? '',
        source: act.source ?? '',
        actor_id: act.actorId,
        created_time: act.now,
        added: set.length - replaced.length,
        changed: replaced.length,
        dropped: dropped.length,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    const ended = [...replaced, ...dropped].flatMap((model) => inForce.get(model)?.version ?? []);
    await endPrices(trx, ended, id, act.now);
    const begun = await beginPrices(trx, set, id, act.now);
    if (planned.undoes !== undefined)
      await trx.updateTable('price_changes').set({ undone_by: id }).where('id', '=', planned.undoes).execute();
    const version = Math.max(0, ...begun.map((price) => price.version));
    await trx.updateTable('price_changes').set({ version }).where('id', '=', id).execute();
    return { change: await getChange(trx, id), begun };
  });
}

const differsFrom = (inForce: InForce) => (price: PriceToSet) => {
  const before = inForce.get(price.model);
  return !before || !samePrice(before, price);
};

async function endPrices(
  trx: Transaction<Tables>,
  versions: readonly number[],
  changeId: number,
  now: number,
): Promise<void> {
  for (let i = 0; i < versions.length; i += someAtOnce) {
    await trx
      .updateTable('prices')
      .set({ valid_to: now, ended_by: changeId })
      .where('version', 'in', versions.slice(i, i + someAtOnce))
      .execute();
  }
}

async function beginPrices(
  trx: Transaction<Tables>,
  prices: PriceToSet[],
  changeId: number,
  now: number,
): Promise<Price[]> {
  const begun: Price[] = [];
  for (let i = 0; i < prices.length; i += someAtOnce) {
    const rows = await trx
      .insertInto('prices')
      .values(prices.slice(i, i + someAtOnce).map((price) => ({ ...asRow(price, now), begun_by: changeId })))
      .returning(priceColumns)
      .execute();
    begun.push(...rows.map(lean));
  }
  return begun;
}
