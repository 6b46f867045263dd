import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { stateOf } from './record-rules.ts';

type ImportedTable =
  | 'users'
  | 'passkeys'
  | 'tokens'
  | 'channels'
  | 'redemptions'
  | 'payment_gateways'
  | 'orders'
  | 'tasks';

/** Fingerprints of rows by their id, over the columns that an import writes. */
export async function rowsHere<T extends ImportedTable>(
  db: Kysely<Tables>,
  table: T,
  columns: readonly (keyof Tables[T] & string)[],
  ids: readonly number[],
): Promise<Map<number, string>> {
  if (ids.length === 0) return new Map();
  const rows = (await db
    .selectFrom(table as 'users')
    .where('id', 'in', ids)
    .select(['id', ...(columns as never[])])
    .execute()) as ({ id: number } & Record<string, unknown>)[]; // the selected columns
  return new Map(rows.map((row) => [row.id, stateOf(columns.map((column) => row[column]))]));
}
