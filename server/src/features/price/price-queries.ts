import { readFileSync } from 'node:fs';
import type { ExtraRatios, Price, PriceInput } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';

const columns = ['model', 'type', 'channel_type', 'input', 'output', 'extra_ratios', 'version', 'valid_from'] as const;

/** The prices that ship with this build. */
export const builtInPrices = (): PriceInput[] =>
  JSON.parse(readFileSync(new URL('../../prices/built-in-prices.json', import.meta.url), 'utf8')) as PriceInput[];

export async function listPrices(db: Db): Promise<Price[]> {
  const rows = await db
    .selectFrom('prices')
    .where('valid_to', 'is', null)
    .select(columns)
    .orderBy('channel_type')
    .orderBy('model')
    .execute();
  return rows.map(lean);
}

/** A price without multiples of its own has no `extra_ratios` on the wire. */
function lean({ extra_ratios: extra, ...row }: Omit<Price, 'extra_ratios'> & { extra_ratios: ExtraRatios }): Price {
  return Object.keys(extra).length === 0 ? row : { ...row, extra_ratios: extra };
}

const asRow = ({ extra_ratios: extra, ...price }: PriceInput, now: number) => ({
  ...price,
  extra_ratios: JSON.stringify(extra ?? {}),
  valid_from: now,
  valid_to: null,
});

/** Throws `record.exists` when the model has a price. */
export async function createPrice(db: Db, price: PriceInput, now: number): Promise<Price> {
  const made = await db
    .insertInto('prices')
    .values(asRow(price, now))
    .onConflict((conflict) => conflict.column('model').where('valid_to', 'is', null).doNothing())
    .returning(columns)
    .executeTakeFirst();
  ensure(made, 'record.exists', { field: 'model', name: price.model });
  return lean(made);
}

/** Ends the price in force and puts a new version in its place; a new name must be free. */
export async function updatePrice(db: Kysely<Tables>, model: string, price: PriceInput, now: number): Promise<Price> {
  return db.transaction().execute(async (trx) => {
    await removePrice(trx, model, now);
    return createPrice(trx, price, now);
  });
}

/** Ends a price. Rows that were charged with it still name its version. */
export async function removePrice(db: Db, model: string, now: number): Promise<void> {
  const ended = await db
    .updateTable('prices')
    .set({ valid_to: now })
    .where('model', '=', model)
    .where('valid_to', 'is', null)
    .returning('version')
    .executeTakeFirst();
  ensure(ended, 'record.not_found', { field: 'model' });
}

/** Adds the built-in prices of models that never had one. What an operator changed or deleted stays as it is. */
export async function addMissingPrices(db: Db, now: number): Promise<number> {
  const rows = await db.selectFrom('prices').select('model').distinct().execute();
  const known = new Set(rows.map(({ model }) => model));
  const missing = builtInPrices().filter(({ model }) => !known.has(model));
  for (let i = 0; i < missing.length; i += 100) {
    const some = missing.slice(i, i + 100).map((price) => asRow(price, now));
    await db
      .insertInto('prices')
      .values(some)
      .onConflict((conflict) => conflict.column('model').where('valid_to', 'is', null).doNothing())
      .execute();
  }
  return missing.length;
}
