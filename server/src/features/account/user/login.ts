import type { SessionUser } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import { sql } from 'kysely';
import type { Db } from '#db/tables.ts';
import { ensure } from '#errors.ts';
import { isPassword } from '#passwords.ts';

/** A verified login, with the hash that the password was checked against. */
export interface RightLogin {
  user: SessionUser;
  passwordHash: string;
}

/**
 * The account of a name (or e-mail address) and password. Throws `login.failed`, without a reason and after the same
 * time for unknown names.
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
