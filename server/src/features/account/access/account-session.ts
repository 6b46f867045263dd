import type { SessionUser } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { openSession } from '#http/session/session.ts';

/** Locks an account during sign-in, so that a password change, which ends sessions, happens before or after. */
export function holdAccount(trx: Transaction<Tables>, userId: number): Promise<{ password_hash: string } | undefined> {
  const account = trx.selectFrom('users').where('id', '=', userId).select('password_hash');
  return locked(account, trx).executeTakeFirst();
}

/** Signs in without a second step. */
export async function signInAtOnce(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  await openSession(userId, request, reply, deps);
  await deps.db.updateTable('users').set({ last_login_time: deps.now() }).where('id', '=', userId).execute();
}

/** The account if it may sign in. Throws `login.failed`. */
export async function getEnabledUser({ db }: Pick<Deps, 'db'>, userId: number): Promise<SessionUser> {
  const user = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .where('status', '=', userStatus.enabled)
    .where('role', '>=', role.user)
    .where('deleted_time', 'is', null)
    .select(['id', 'username', 'display_name', 'avatar_url', 'role', 'status'])
    .executeTakeFirst();
  ensure(user, 'login.failed');
  return user;
}
