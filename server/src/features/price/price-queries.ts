import { readFileSync } from 'node:fs';
import type {
  ExtraRatios,
  PastVersion,
  Price,
  PriceFee,
  PriceInput,
  PriceRule,
  PriceVersion,
} from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';

export const priceColumns = [
  'prices.version',
  'prices.model',
  'prices.type',
  'prices.channel_type',
  'prices.input',
  'prices.output',
  'prices.extra_ratios',
  'prices.rules',
  'prices.fees',
  'prices.valid_from',
  'prices.source',
] as const;

/** Limit for a price's history. */
const mostVersions = 200;

/** The prices shipped with this build. */
export const builtInPrices = (): PriceInput[] =>
  JSON.parse(readFileSync(new URL('../../prices/built-in-prices.json', import.meta.url), 'utf8')) as PriceInput[];

/** The active prices, by owner and model. */
export async function listPrices(db: Db): Promise<Price[]> {
  const rows = await db
    .selectFrom('prices')
    .where('valid_to', 'is', null)
    .select(priceColumns)
    .orderBy('channel_type')
    .orderBy('model')
    .execute();
  return rows.map(lean);
}

interface StoredTerms {
  extra_ratios: ExtraRatios;
  rules?: PriceRule[] | undefined;
  fees?: PriceFee[] | undefined;
}

/** Drops empty `extra_ratios`, `rules` and `fees`, which the wire format omits. */
export function lean<R extends StoredTerms>({
  extra_ratios: extra,
  rules = [],
  fees = [],
  ...row
}: R): Omit<R, keyof StoredTerms> & Pick<PriceInput, keyof StoredTerms> {
  return {
    ...row,
    ...(Object.keys(extra).length > 0 && { extra_ratios: extra }),
    ...(rules.length > 0 && { rules }),
    ...(fees.length > 0 && { fees }),
  };
}

/** A price whose absent multiples, rules and fees are those of the price before. */
export function withKeptTerms<P extends PriceInput>(
  price: P,
  before: PriceInput | undefined,
): Omit<P, keyof StoredTerms> & { extra_ratios: ExtraRatios; rules: PriceRule[]; fees: PriceFee[] } {
  return {
    ...price,
    extra_ratios: price.extra_ratios ?? before?.extra_ratios ?? {},
    rules: price.rules ?? before?.rules ?? [],
    fees: price.fees ?? before?.fees ?? [],
  };
}

/** A version, active or not. Throws `record.not_found`. */
export async function getVersion(db: Db, version: number): Promise<PriceVersion> {
  const row = await db
    .selectFrom('prices')
    .where('version', '=', version)
    .select([...priceColumns, 'prices.valid_to'])
    .executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'version' });
  return lean(row);
}

/** A model's price versions, newest first, with their authors. */
export async function listVersions(db: Db, model: string): Promise<PastVersion[]> {
  const rows = await db
    .selectFrom('prices')
    .leftJoin('price_changes', 'price_changes.id', 'prices.begun_by')
    .leftJoin('users', 'users.id', 'price_changes.actor_id')
    .where('prices.model', '=', model)
    .select([...priceColumns, 'prices.valid_to', 'prices.begun_by as change_id', 'users.username as actor'])
    .orderBy('prices.version', 'desc')
    .limit(mostVersions)
    .execute();
  return rows.map(({ actor, ...row }) => ({ ...lean(row), actor: actor ?? '' }));
}

/** Adds built-in prices for models that never had a price. Prices changed or deleted by an operator stay so. */
export async function addMissingPrices(db: Db, now: number): Promise<number> {
  const rows = await db.selectFrom('prices').select('model').distinct().execute();
  const known = new Set(rows.map(({ model }) => model));
  const missing = builtInPrices().filter(({ model }) => !known.has(model));
  for (let i = 0; i < missing.length; i += 100) {
    await db
      .insertInto('prices')
      .values(missing.slice(i, i + 100).map((price) => asRow({ ...price, source: 'built_in' }, now)))
      .onConflict((conflict) => conflict.column('model').where('valid_to', 'is', null).doNothing())
      .execute();
  }
  return missing.length;
}

/** A price as a row of its table. */
export const asRow = (
  { model, type, channel_type, input, output, extra_ratios, rules, fees, source }: PriceInput & Pick<Price, 'source'>,
  now: number,
) => ({
  model,
  type,
  channel_type,
  input,
  output,
  source,
  extra_ratios: JSON.stringify(extra_ratios ?? {}),
  rules: JSON.stringify(rules ?? []),
  fees: JSON.stringify(fees ?? []),
  valid_from: now,
  valid_to: null,
});
