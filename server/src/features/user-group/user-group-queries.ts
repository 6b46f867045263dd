import type {
  GroupTokenLimits,
  LimitWait,
  ListQuery,
  ModelSwitch,
  newUserGroup,
  Page,
  UserGroup,
  UserGroupRow,
} from '@relay-hub/contract';
import type * as z from 'zod/mini';
import { startsWith } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';
import { usesOf } from './user-group-uses.ts';

/** The initial group of new users. */
export const DEFAULT_GROUP = 'default';

/** Lists a group's models from the routes in memory. */
type ModelsOf = (symbol: string) => readonly string[];

export async function listUserGroups(
  db: Db,
  query: ListQuery & { Name: string; enable?: string | undefined },
  modelsOf: ModelsOf,
): Promise<Page<UserGroupRow>> {
  let groups = db.selectFrom('user_groups').selectAll();
  if (query.Name !== '') groups = groups.where(startsWith('name', query.Name));
  if (query.enable) groups = groups.where('enable', '=', query.enable === 'true');
  const page = await pageOfRows(groups, query);
  return { ...page, data: await withUses(db, page.data, modelsOf) };
}

export async function getUserGroup(db: Db, id: number, modelsOf: ModelsOf): Promise<UserGroupRow> {
  const [group] = await withUses(db, [await findUserGroup(db, id)], modelsOf);
  ensure(group, 'record.not_found', { field: 'id' });
  return group;
}

async function findUserGroup(db: Db, id: number): Promise<UserGroup> {
  const group = await db.selectFrom('user_groups').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(group, 'record.not_found', { field: 'id' });
  return group;
}

async function withUses(db: Db, groups: readonly UserGroup[], modelsOf: ModelsOf): Promise<UserGroupRow[]> {
  const uses = await usesOf(
    db,
    groups.map(({ symbol }) => symbol),
  );
  return groups.map((group) => ({ ...group, ...uses(group.symbol), models: modelsOf(group.symbol).length }));
}

interface InJson {
  token_limits?: GroupTokenLimits | null | undefined;
  model_switch?: ModelSwitch | null | undefined;
  limit_wait?: LimitWait | null | undefined;
}

/** A group as columns: limits and models are stored as JSON, and stay unchanged if left out. */
export const asColumns = <T extends InJson>({
  token_limits: limits,
  model_switch: models,
  limit_wait: wait,
  ...group
}: T) => ({
  ...group,
  ...(limits !== undefined && { token_limits: limits && JSON.stringify(limits) }),
  ...(models !== undefined && { model_switch: models && JSON.stringify(models) }),
  ...(wait !== undefined && { limit_wait: wait && JSON.stringify(wait) }),
});

/** Throws `record.exists` if the symbol is taken. */
export async function createUserGroup(
  db: Db,
  group: Omit<z.output<typeof newUserGroup>, 'keep_zero'>,
): Promise<UserGroup> {
  const made = await db
    .insertInto('user_groups')
    .values(asColumns(group))
    .onConflict((conflict) => conflict.column('symbol').doNothing())
    .returningAll()
    .executeTakeFirst();
  ensure(made, 'record.exists', { field: 'symbol', name: group.symbol });
  return made;
}
