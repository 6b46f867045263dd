import type { Selectable } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { type BookedPrice, PriceBook } from './price-book.ts';

/** An own purchase price; `version` of `price` is its id. */
export interface Purchase {
  price: BookedPrice;
  /** Dollars for one unit of its currency. */
  rate: number;
}

type Row = Selectable<Tables['purchase_prices']>;

/** Own purchase prices of a channel: of each date, those by model. */
export class Purchases {
  /** The latest date first. */
  readonly #dates: { from: number; prices: PriceBook }[];
  readonly #rates: ReadonlyMap<number, number>;

  constructor(rows: readonly Row[]) {
    this.#rates = new Map(rows.map(({ id, rate }) => [id, rate]));
    const dates = [...new Set(rows.map(({ valid_from: from }) => from))].toSorted((a, b) => b - a);
    this.#dates = dates.map((from) => {
      // The latest entry of each model that has begun by then.
      const begun = rows
        .filter((row) => row.valid_from <= from)
        .toSorted((a, b) => a.valid_from - b.valid_from)
        .map(({ id: version, ...row }) => ({ ...row, version, channel_type: 0 }));
      const latest = new Map(begun.map((row) => [row.model, row]));
      return { from, prices: new PriceBook([...latest.values()], undefined) };
    });
  }

  /** The price of the first name that has one at an instant, in Unix seconds. */
  find(models: readonly string[], at: number): Purchase | undefined {
    const prices = this.#dates.find(({ from }) => from <= at)?.prices;
    if (!prices) return undefined;
    for (const model of models) {
      const price = prices.listed(model);
      if (price) return { price, rate: this.#rates.get(price.version) ?? 1 };
    }
    return undefined;
  }
}

/** Own purchase prices by channel. */
export async function loadPurchases(db: Db): Promise<Map<number, Purchases>> {
  const rows = await db.selectFrom('purchase_prices').where('removed_time', '=', 0).selectAll().execute();
  return new Map([...Map.groupBy(rows, ({ channel_id: id }) => id)].map(([id, own]) => [id, new Purchases(own)]));
}
