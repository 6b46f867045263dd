import {
  type guardApi,
  guardLimits,
  type GuardRule,
  type NewGuardRule,
  type Page,
  type ParsedOf,
} from '@relay-hub/contract';
import type { Kysely } from 'kysely';
import { contains } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

/** Who saves, and when. */
interface By {
  username: string;
  now: number;
}

export async function listGuardRules(
  db: Db,
  { keyword, ...query }: ParsedOf<typeof guardApi.list>['query'],
): Promise<Page<GuardRule>> {
  let rows = db.selectFrom('guard_rules').selectAll();
  if (keyword !== '') rows = rows.where(contains('name', keyword));
  return pageOfRows(rows, query);
}

export async function getGuardRule(db: Db, id: number): Promise<GuardRule> {
  const row = await db.selectFrom('guard_rules').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(row, 'record.not_found', { field: 'id' });
  return row;
}

/** Throws `record.exists` and `guard.too_many`. */
export const createGuardRule = (db: Kysely<Tables>, given: NewGuardRule, by: By): Promise<GuardRule> =>
  db.transaction().execute(async (trx) => {
    const { count } = await trx
      .selectFrom('guard_rules')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    ensure(count < guardLimits.rules, 'guard.too_many', { limit: guardLimits.rules });
    const made = await trx
      .insertInto('guard_rules')
      .values(columnsOf(given, by))
      .onConflict((conflict) => conflict.column('name').doNothing())
      .returningAll()
      .executeTakeFirst();
    ensure(made, 'record.exists', { field: 'name', name: given.name });
    return made;
  });

/** Throws `record.exists` and `record.not_found`. */
export const updateGuardRule = (
  db: Kysely<Tables>,
  { id, ...given }: NewGuardRule & { id: number },
  by: By,
): Promise<GuardRule> =>
  db.transaction().execute(async (trx) => {
    const other = trx.selectFrom('guard_rules').where('name', '=', given.name).where('id', '<>', id).select('id');
    ensure(!(await other.executeTakeFirst()), 'record.exists', { field: 'name', name: given.name });
    const saved = await trx
      .updateTable('guard_rules')
      .set(columnsOf(given, by))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    ensure(saved, 'record.not_found', { field: 'id' });
    return saved;
  });

/** Throws `record.not_found`. */
export async function removeGuardRule(db: Db, id: number): Promise<void> {
  const gone = await db.deleteFrom('guard_rules').where('id', '=', id).returning('id').executeTakeFirst();
  ensure(gone, 'record.not_found', { field: 'id' });
}

const columnsOf = ({ groups, token_ids: tokens, kinds, patterns, hook, ...rule }: NewGuardRule, by: By) => ({
  ...rule,
  groups: JSON.stringify(groups),
  token_ids: JSON.stringify(tokens),
  kinds: JSON.stringify(kinds),
  patterns: JSON.stringify(patterns),
  hook: hook && JSON.stringify(hook),
  updated_time: by.now,
  updated_by: by.username,
});
