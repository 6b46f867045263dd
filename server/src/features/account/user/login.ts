import type { SessionUser } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { isPassword } from '#passwords.ts';

/** Somebody who gave the right password, and what it was held against. */
export interface RightLogin {
  user: SessionUser;
  passwordHash: string;
}

/**
 * The account that a name (or e-mail address) and a password belong to. Throws `login.failed`, which says nothing of
 * the reason, and takes as long for an unknown name as for a wrong password.
 */
export async function checkLogin(db: Db, name: string, password: string): Promise<RightLogin> {
  const users = db
    .selectFrom('users')
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'display_name', 'avatar_url', 'role', 'status', 'password_hash']);
  const found =
    (await users.where('username', '=', name).executeTakeFirst()) ??
    (name.includes('@')
      ? await users.where(sql<boolean>`lower(email) = lower(${name})`).executeTakeFirst()
      : undefined);
  const right = await isPassword(password, found?.password_hash ?? '');
  ensure(found && right && found.status === userStatus.enabled && found.role >= role.user, 'login.failed');
  const { password_hash: passwordHash, ...user } = found;
  return { user, passwordHash };
}
