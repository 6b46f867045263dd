import type { ListQuery, Page, UserGroup } from '@relay-hub/contract';
import { startsWith, listHas } from '#db/dialect-differences.ts';
import type { Db } from '#db/tables.ts';
import { AppError, ensure } from '#errors.ts';
import { pageOfRows } from '#http/list.ts';

export const DEFAULT_GROUP = 'default';

export async function listUserGroups(
  db: Db,
  query: ListQuery & { Name: string; enable?: string | undefined },
): Promise<Page<UserGroup>> {
  let groups = db.selectFrom('user_groups').selectAll();
  if (query.Name !== '') groups = groups.where(startsWith('name', query.Name));
  if (query.enable) groups = groups.where('enable', '=', query.enable === 'true');
  return pageOfRows(groups, query);
}

export async function getUserGroup(db: Db, id: number): Promise<UserGroup> {
  const group = await db.selectFrom('user_groups').selectAll().where('id', '=', id).executeTakeFirst();
  ensure(group, 'record.not_found', { field: 'id' });
  return group;
}

/** Throws `record.exists` when the symbol is taken. */
export async function createUserGroup(db: Db, group: Omit<UserGroup, 'id'>): Promise<UserGroup> {
  const made = await db
    .insertInto('user_groups')
    .values(group)
    .onConflict((conflict) => conflict.column('symbol').doNothing())
    .returningAll()
    .executeTakeFirst();
  ensure(made, 'record.exists', { field: 'symbol', name: group.symbol });
  return made;
}

export async function updateUserGroup(
  db: Db,
  { id, ...changes }: Omit<UserGroup, 'symbol' | 'enable'>,
): Promise<UserGroup> {
  const group = await db.updateTable('user_groups').set(changes).where('id', '=', id).returningAll().executeTakeFirst();
  ensure(group, 'record.not_found', { field: 'id' });
  return group;
}

/** Throws `group.default` for the group that everybody starts in, `group.in_use` when it would be switched off under somebody. */
export async function toggleUserGroup(db: Db, id: number): Promise<UserGroup> {
  const group = await getUserGroup(db, id);
  ensure(group.symbol !== DEFAULT_GROUP, 'group.default');
  if (group.enable) await refuseWhileUsed(db, group.symbol);
  const [toggled] = await db
    .updateTable('user_groups')
    .set({ enable: !group.enable })
    .where('id', '=', id)
    .returningAll()
    .execute();
  return toggled!; // it was there a moment ago; deleting groups and toggling them race to the same end
}

/** Throws `group.in_use` while a user, token or channel names the group. */
export async function removeUserGroup(db: Db, id: number): Promise<void> {
  const { symbol } = await getUserGroup(db, id);
  ensure(symbol !== DEFAULT_GROUP, 'group.default');
  await refuseWhileUsed(db, symbol);
  await db.deleteFrom('user_groups').where('id', '=', id).execute();
}

async function refuseWhileUsed(db: Db, symbol: string): Promise<void> {
  const count = async (table: 'users' | 'tokens') => {
    const rows = await db
      .selectFrom(table)
      .select('id')
      .where('group', '=', symbol)
      .where('deleted_time', 'is', null)
      .execute();
    return rows.length;
  };
  const users = await count('users');
  const tokens = await count('tokens');
  const channels = (
    await db
      .selectFrom('channels')
      .select('id')
      .where(listHas('group', symbol))
      .where('deleted_time', 'is', null)
      .execute()
  ).length;
  if (users + tokens + channels > 0) throw new AppError('group.in_use', { name: symbol, users, tokens, channels });
}
