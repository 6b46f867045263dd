import type { UserGroup, userGroupEdit } from '@relay-hub/contract';
import { splitList } from '@relay-hub/contract';
import type { Kysely, Transaction } from 'kysely';
import type * as z from 'zod/mini';
import { listHas, locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { asColumns, DEFAULT_GROUP } from './user-group-queries.ts';
import { refuseWhileUsed } from './user-group-uses.ts';

type GroupTrx = Transaction<Tables>;

/**
 * Enables or disables a group; toggles it without a given state. Throws `group.default`, and `group.in_use` when a
 * group in use would be disabled.
 */
export async function switchUserGroup(
  db: Kysely<Tables>,
  id: number,
  newState: boolean | undefined,
): Promise<UserGroup> {
  return db.transaction().execute(async (trx) => {
    const group = await hold(trx, id);
    const enable = newState ?? !group.enable;
    if (group.enable && !enable) await refuseWhileUsed(trx, group.symbol);
    return trx.updateTable('user_groups').set({ enable }).where('id', '=', id).returningAll().executeTakeFirstOrThrow();
  });
}

type UserGroupEdit = z.output<typeof userGroupEdit>;

/** Updates a group and, with `set_enable`, its state, both or neither. Throws the errors of `switchUserGroup`. */
export async function updateUserGroup(
  db: Kysely<Tables>,
  { id, set_enable: newState, ...set }: UserGroupEdit,
): Promise<UserGroup> {
  return db.transaction().execute(async (trx) => {
    const group = await find(trx, id);
    const enable = newState ?? group.enable;
    if (group.enable !== enable) ensure(group.symbol !== DEFAULT_GROUP, 'group.default');
    if (group.enable && !enable) await refuseWhileUsed(trx, group.symbol);
    const changed = trx.updateTable('user_groups').set({ ...asColumns(set), enable });
    return changed.where('id', '=', id).returningAll().executeTakeFirstOrThrow();
  });
}

/**
 * Deletes a group. Its users, tokens and channels move to `replacement`; without one it throws `group.in_use` if there
 * are any. Throws `group.default`, `group.unknown`, `group.replacement`.
 */
export async function removeUserGroup(db: Kysely<Tables>, id: number, replacement: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { symbol } = await hold(trx, id);
    if (replacement !== '') await replace(trx, symbol, replacement);
    await refuseWhileUsed(trx, symbol);
    await trx.deleteFrom('user_groups').where('id', '=', id).execute();
  });
}

/** The group, locked until the transaction ends, so that nothing is added to it meanwhile. */
async function find(trx: GroupTrx, id: number): Promise<UserGroup> {
  const group = await locked(trx.selectFrom('user_groups').selectAll().where('id', '=', id), trx).executeTakeFirst();
  ensure(group, 'record.not_found', { field: 'id' });
  return group;
}

/** Like `find`, for a group that can be removed. */
async function hold(trx: GroupTrx, id: number): Promise<UserGroup> {
  const group = await find(trx, id);
  ensure(group.symbol !== DEFAULT_GROUP, 'group.default');
  return group;
}

async function replace(trx: GroupTrx, from: string, to: string): Promise<void> {
  const details = { field: 'replacement', name: to };
  ensure(from !== to, 'group.replacement', details);
  const replacementRow = trx.selectFrom('user_groups').selectAll().where('symbol', '=', to).where('enable', '=', true);
  const target = await locked(replacementRow, trx).executeTakeFirst();
  ensure(target, 'group.unknown', details);
  // Locked in the same order as batches of calls lock them.
  await locked(trx.selectFrom('users').where('group', '=', from).select('id').orderBy('id'), trx).execute();
  await locked(trx.selectFrom('tokens').where('group', '=', from).select('id').orderBy('id'), trx).execute();
  await trx.updateTable('users').set({ group: to }).where('group', '=', from).execute();
  await replaceInTokens(trx, from, target);
  await replaceInChannels(trx, from, to);
}

/** A token follows its user if the user may not use the new group. */
async function replaceInTokens(trx: GroupTrx, from: string, { symbol, public: forAll }: UserGroup): Promise<void> {
  const tokens = trx.updateTable('tokens').where('group', '=', from);
  const members = trx.selectFrom('users').select('id').where('group', '=', symbol);
  await tokens
    .set({ group: symbol })
    .$if(!forAll, (query) => query.where('user_id', 'in', members))
    .execute();
  if (!forAll) await tokens.set({ group: '' }).execute();
}

async function replaceInChannels(trx: GroupTrx, from: string, to: string): Promise<void> {
  const channels = await trx
    .selectFrom('channels')
    .where(listHas('group', from))
    .select(['id', 'group'])
    .orderBy('id')
    .execute();
  for (const { id, group } of channels) {
    const symbols = splitList(group).map((symbol) => (symbol === from ? to : symbol));
    await trx
      .updateTable('channels')
      .set({ group: [...new Set(symbols)].join(',') })
      .where('id', '=', id)
      .execute();
  }
}
