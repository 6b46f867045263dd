import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import type { RefusalRow } from './folding.ts';
import type { UnknownKeyRow } from './unknown-keys.ts';

const ofFirst = ['first_time', 'first_request_id'] as const;
const ofLast = [
  'created_at',
  'request_id',
  'username',
  'token_name',
  'group_name',
  'endpoint',
  'source_ip',
  'message',
  'needed',
] as const;

/** Adds counts to the folded rows, which another node may have created. */
export async function writeRefusals(db: Db, rows: readonly RefusalRow[]): Promise<void> {
  // The same order on every node prevents deadlocks.
  const inOrder = rows.toSorted(
    (a, b) => a.token_id - b.token_id || a.hour - b.hour || textOrder(orderOf(a), orderOf(b)),
  );
  const sooner = sql<boolean>`excluded.first_time < refusals.first_time`;
  const later = sql<boolean>`excluded.created_at >= refusals.created_at`;
  await db
    .insertInto('refusals')
    .values(inOrder)
    .onConflict((conflict) =>
      conflict.columns(['token_id', 'hour', 'reason', 'model_name', 'many_models']).doUpdateSet({
        count: sql<number>`refusals.count + excluded.count`,
        ...Object.fromEntries(ofFirst.map((column) => [column, either(sooner, 'refusals', column)])),
        ...Object.fromEntries(ofLast.map((column) => [column, either(later, 'refusals', column)])),
      }),
    )
    .execute();
}

/** Adds counts to the rows of their hours. */
export async function writeUnknownKeys(db: Db, rows: readonly UnknownKeyRow[]): Promise<void> {
  const inOrder = rows.toSorted((a, b) => a.hour - b.hour || textOrder(a.address, b.address));
  const sooner = sql<boolean>`excluded.first_time < unknown_keys.first_time`;
  const later = sql<boolean>`excluded.last_time >= unknown_keys.last_time`;
  await db
    .insertInto('unknown_keys')
    .values(inOrder)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'address']).doUpdateSet({
        unknown: sql<number>`unknown_keys."unknown" + excluded."unknown"`,
        missing: sql<number>`unknown_keys.missing + excluded.missing`,
        first_time: either(sooner, 'unknown_keys', 'first_time'),
        last_time: either(later, 'unknown_keys', 'last_time'),
        endpoint: either(later, 'unknown_keys', 'endpoint'),
      }),
    )
    .execute();
}

const either = <T>(newer: ReturnType<typeof sql<boolean>>, table: string, column: string) =>
  sql<T>`case when ${newer} then ${sql.ref(`excluded.${column}`)} else ${sql.ref(`${table}.${column}`)} end`;

const orderOf = ({ reason, model_name, many_models }: RefusalRow): string => `${reason} ${model_name} ${many_models}`;

const textOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
