import type { Price, PriceChange, PriceEdit, PriceGroupEdit, PriceInput } from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import type { PriceChangeContext, InForce, PriceToSet } from './change-prices.ts';
import { changePrices } from './change-prices.ts';
import { withKeptTerms } from './price-queries.ts';

type Database = Kysely<Tables>;

const own = (price: PriceInput): PriceToSet => ({ ...price, source: 'own' });

/** Throws `record.exists` if the model has a price. */
export async function createPrice(db: Database, price: PriceInput, act: PriceChangeContext): Promise<Price> {
  const { begun } = await changePrices(db, act, (inForce) => {
    ensure(!inForce.has(price.model), 'record.exists', { field: 'model', name: price.model });
    return { set: [own(price)], end: [] };
  });
  return activated(begun[0]);
}

/**
 * Changes a price and returns the active one afterwards. Throws `record.not_found`, `record.exists` if the new name has
 * a price, and `price.changed_meanwhile` if the edited version is no longer active.
 */
export async function updatePrice(
  db: Database,
  model: string,
  edit: PriceEdit,
  act: PriceChangeContext,
): Promise<Price> {
  let before: Price | undefined;
  const { begun } = await changePrices(db, act, (inForce) => {
    before = inForce.get(model);
    ensure(before, 'record.not_found', { field: 'model' });
    ensureVersion(before, edit);
    if (edit.model === model) return { set: [own(edit)], end: [] };
    ensure(!inForce.has(edit.model), 'record.exists', { field: 'model', name: edit.model });
    return { set: [own(withKeptTerms(edit, before))], end: [model] };
  });
  return activated(begun[0] ?? before);
}

function activated(price: Price | undefined): Price {
  ensure(price, 'record.not_found', { field: 'model' });
  return price;
}

/** Sets the prices of several models. */
export async function setPrices(
  db: Database,
  edits: PriceEdit[],
  act: PriceChangeContext,
): Promise<PriceChange | null> {
  const { change } = await changePrices(db, act, (inForce) => {
    for (const edit of edits) ensureVersion(inForce.get(edit.model), edit);
    return { set: edits.map(own), end: [] };
  });
  return change;
}

/** Sets one price for several models; former members of its group lose theirs. */
export async function setPriceGroup(
  db: Database,
  { models, original_models: original, price, versions = [] }: PriceGroupEdit,
  act: PriceChangeContext,
): Promise<PriceChange | null> {
  const stay = new Set(models);
  const { change } = await changePrices(db, act, (inForce) => {
    const open = new Set([...inForce.values()].map(({ version }) => version));
    ensure(
      versions.every((version) => open.has(version)),
      'price.changed_meanwhile',
      { field: 'models' },
    );
    const known = new Set(original);
    for (const model of models)
      ensure(known.has(model) || !inForce.has(model), 'record.exists', { field: 'models', name: model });
    return {
      set: models.map((model) => own({ ...price, model })),
      end: original.filter((model) => !stay.has(model)),
    };
  });
  return change;
}

/** Ends prices; charged rows still refer to their versions. Throws `record.not_found`. */
export async function removePrices(
  db: Database,
  models: string[],
  field: 'model' | 'models',
  act: PriceChangeContext,
): Promise<PriceChange | null> {
  const { change } = await changePrices(db, act, (inForce: InForce) => {
    for (const model of models) ensure(inForce.has(model), 'record.not_found', { field });
    return { set: [], end: models };
  });
  return change;
}

function ensureVersion(inForce: Price | undefined, { version }: PriceEdit): void {
  ensure(version === undefined || inForce?.version === version, 'price.changed_meanwhile', { field: 'version' });
}
