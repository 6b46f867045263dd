import type { ClosingFacts, Language, User } from '@relay-hub/contract';
import { logType } from '@relay-hub/contract';
import { type Kysely, sql, type Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Db, Tables } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { noteInLog } from '#features/log/log-note.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { randomText } from '#secrets.ts';
import { endAccess } from '#features/account/access/end-access.ts';
import { holdPair, outranks } from '#features/account/access/user-rank.ts';
import { newShape } from './look-alike.ts';
import { orTaken } from './save-user.ts';
import { getUser } from './user-record.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Balance and orders that the deletion of an account does not settle. */
export async function closingFacts(db: Db, id: number): Promise<ClosingFacts> {
  const account = await db
    .selectFrom('users')
    .where('id', '=', id)
    .where('deleted_time', 'is', null)
    .select((eb) => eb('quota', '+', eb.ref('held')).as('quota'))
    .executeTakeFirst();
  ensure(account, 'record.not_found', { field: 'id' });
  const count = async (table: 'orders' | 'tokens') => {
    const rows = db.selectFrom(table).where('user_id', '=', id);
    const open =
      table === 'orders'
        ? rows.where(sql<boolean>`status = 'pending'`)
        : rows.where(sql<boolean>`deleted_time is null`);
    const { number } = await open.select(({ fn }) => fn.countAll<number>().as('number')).executeTakeFirstOrThrow();
    return number;
  };
  return { quota: account.quota, open_orders: await count('orders'), tokens: await count('tokens') };
}

/**
 * Deletes an account whose row is locked: its name, address and connected identities become free, its tokens and
 * sessions end, and it leaves its teams. Balance, orders and history stay. Throws `user.owns_team`.
 */
export async function closeAccount(
  trx: Transaction<Tables>,
  { id, username }: { id: number; username: string },
  now: number,
): Promise<void> {
  const owned = await trx
    .selectFrom('team_members')
    .innerJoin('users', 'users.id', 'team_members.team_id')
    .where('user_id', '=', id)
    .where('team_members.role', '=', 'owner')
    .select('users.username')
    .executeTakeFirst();
  ensure(!owned, 'user.owns_team', { name: owned?.username ?? '' });
  for (const table of ['team_members', 'identities', 'scim_users', 'scim_group_members'] as const)
    await trx.deleteFrom(table).where('user_id', '=', id).execute();
  await endAccess(trx, id);
  await trx
    .updateTable('tokens')
    .set({ deleted_time: now })
    .where('user_id', '=', id)
    .where('deleted_time', 'is', null)
    .execute();
  await trx
    .updateTable('users')
    .set({
      // No new name can be the same, because it has spaces. Reports keep a readable one.
      username: `${username} (deleted ${id})`,
      deleted_name: username,
      username_shape: null,
      deleted_time: now,
    })
    .where('id', '=', id)
    .execute();
}

/** Closes one's own account, and notes it in its log. Throws `user.last_root`. */
export async function closeOwnAccount(
  db: Kysely<Tables>,
  userId: number,
  { ip, siteLanguage, now }: { ip: string; siteLanguage: Language; now: number },
): Promise<ClosingFacts> {
  return db.transaction().execute(async (trx) => {
    const { target, lastRoot } = await holdPair(trx, userId, { id: userId });
    ensure(!lastRoot, 'user.last_root');
    const facts = await closingFacts(trx, userId);
    const { language } = await trx
      .selectFrom('users')
      .where('id', '=', userId)
      .select('language')
      .executeTakeFirstOrThrow();
    const content = serverTexts(mailLanguage(siteLanguage, language)).entries.closed;
    const note = { type: logType.manage, quota: 0, content, reference: `closed:${userId}:${randomText(6)}` };
    await noteInLog(trx, { ...note, user: target, sourceIp: ip, now });
    await closeAccount(trx, target, now);
    return facts;
  });
}

interface Restoration {
  /** Instead of its former name. */
  username?: string | undefined;
  /** Empty: without its address. */
  email?: '' | undefined;
}

/**
 * Restores a deleted account of a lower role with the tokens that were deleted with it. Connected identities are not
 * restored. Throws `record.not_found`, `user.rank`, `user.name_alike`, and `record.exists` for a name or address that
 * another account has now.
 */
export async function restoreAccount(
  db: Kysely<Tables>,
  actorId: number,
  id: number,
  { username, email }: Restoration,
): Promise<User> {
  const deleted = await db
    .selectFrom('users')
    .where('id', '=', id)
    .select(['deleted_name', 'email'])
    .executeTakeFirst();
  const name = username ?? deleted?.deleted_name ?? '';
  const restored = db.transaction().execute(async (trx) => {
    const { actor } = await holdPair(trx, actorId, { id: actorId });
    const row = trx.selectFrom('users').where('id', '=', id).where('deleted_time', 'is not', null);
    const account = await locked(row.select(['role', 'deleted_time']), trx).executeTakeFirst();
    ensure(account, 'record.not_found', { field: 'id' });
    ensure(outranks(actor, account), 'user.rank');
    await trx
      .updateTable('users')
      .set({
        username: name,
        username_shape: await newShape(trx, name, id),
        deleted_name: null,
        deleted_time: null,
        ...(email !== undefined && { email }),
      })
      .where('id', '=', id)
      .execute();
    await trx
      .updateTable('tokens')
      .set({ deleted_time: null })
      .where('user_id', '=', id)
      .where('deleted_time', '=', account.deleted_time)
      .execute();
    return getUser(trx, id);
  });
  return orTaken(restored, { username: name, email: deleted?.email });
}
