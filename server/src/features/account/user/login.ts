import type { SessionUser } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { hashPassword, isOldHash, isPassword } from '#passwords.ts';

/** A verified login, with the hash that the password was checked against. */
export interface RightLogin {
  user: SessionUser;
  passwordHash: string;
}

/**
 * The account of a name (or e-mail address), in any case, and password. Throws `login.failed`, without a reason and after the same
 * time for unknown names.
 */
export async function checkLogin(db: Db, name: string, password: string): Promise<RightLogin> {
  const users = db
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'display_name', 'avatar_url', 'role', 'status', 'password_hash']);
  const found =
    (await users.where(sql<boolean>`lower(username) = lower(${name})`).executeTakeFirst()) ??
    (name.includes('@')
      ? await users.where(sql<boolean>`lower(email) = lower(${name})`).executeTakeFirst()
      : undefined);
  const right = await isPassword(password, found?.password_hash ?? '', { asOld: await hasOldHashes(db) });
  ensure(found && right && found.status === userStatus.enabled && found.role >= role.user, 'login.failed');
  const { password_hash: passwordHash, ...user } = found;
  return { user, passwordHash: isOldHash(passwordHash) ? await rehash(db, user.id, password) : passwordHash };
}

/** Whether a stored hash is one of bcrypt, `$2…`; as in the index, and without the `$` that begins a parameter. */
const isOldInRow = sql<boolean>`password_hash like '_2%'`;

/** Whether an imported account has not signed in yet. */
async function hasOldHashes(db: Db): Promise<boolean> {
  const old = db.selectFrom('users').where(isOldInRow).select('id').limit(1);
  return (await old.executeTakeFirst()) !== undefined;
}

/** Replaces the old program's hash by ours, at the first sign-in. Returns the hash that is stored then. */
async function rehash(db: Db, userId: number, password: string): Promise<string> {
  const hash = await hashPassword(password);
  const replaced = await db
    .updateTable('users')
    .set({ password_hash: hash })
    .where('id', '=', userId)
    .where(isOldInRow)
    .returning('id')
    .executeTakeFirst();
  if (replaced) return hash;
  // Another sign-in, or a new password, was faster.
  const now = await db.selectFrom('users').where('id', '=', userId).select('password_hash').executeTakeFirst();
  return now && (await isPassword(password, now.password_hash)) ? now.password_hash : '';
}
