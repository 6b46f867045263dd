import type { ChangedPrice, Page, ParsedOf, PriceChange, PriceInput } from '@relay-hub/contract';
import { priceInput, type priceChangeApi } from '@relay-hub/contract';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { lean, priceColumns } from './price-queries.ts';

type ListInput = ParsedOf<(typeof priceChangeApi)['list']>['query'];

const changes = (db: Db) =>
  db
    .selectFrom('price_changes')
    .selectAll()
    .select((eb) =>
      eb.selectFrom('users').whereRef('users.id', '=', 'price_changes.actor_id').select('username').as('actor'),
    );

type PriceChangeRow = Omit<PriceChange, 'actor' | 'undone'> & { actor: string | null; undone_by: number | null };

const changeOf = ({ actor, undone_by: undoneBy, ...row }: PriceChangeRow): PriceChange => ({
  ...row,
  actor: actor ?? '',
  undone: undoneBy !== null,
});

/** Price changes, newest first by default. */
export async function listChanges(db: Db, { kind, ...query }: ListInput): Promise<Page<PriceChange>> {
  const found = kind === '' ? changes(db) : changes(db).where('kind', '=', kind);
  const page = await pageOfRows(found, query);
  return { ...page, data: page.data.map(changeOf) };
}

/** Throws `record.not_found`. */
export async function getChange(db: Db, id: number): Promise<PriceChange> {
  const row = await changes(db).where('id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return changeOf(row);
}

/** Every price of a change, before and after it, by model. */
export async function changedPrices(db: Db, id: number): Promise<ChangedPrice[]> {
  const read = async (column: 'begun_by' | 'ended_by') => {
    const rows = await db.selectFrom('prices').where(column, '=', id).select(priceColumns).execute();
    return new Map<string, PriceInput>(rows.map((row) => [row.model, priceInput.parse(lean(row))]));
  };
  const [before, after] = [await read('ended_by'), await read('begun_by')];
  return [...new Set([...before.keys(), ...after.keys()])]
    .toSorted()
    .map((model) => ({ model, before: before.get(model) ?? null, after: after.get(model) ?? null }));
}
