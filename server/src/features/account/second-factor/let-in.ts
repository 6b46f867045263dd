import type { SessionUser } from '@relay-hub/contract';
import { role, userStatus } from '@relay-hub/contract';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Transaction } from 'kysely';
import { locked } from '#db/dialect-differences.ts';
import type { Tables } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError, ensure } from '#errors.ts';
import { openSession } from '#http/session/session.ts';
import { openStep } from './login-step.ts';
import { getTwoStep } from './totp.ts';

/**
 * Signs somebody in who has given a password, or was told of by another site. Where the account has two-step
 * verification, it throws `login.second_factor` instead, and this browser owes the second step. With the hash that a
 * password was held against, which takes a while, it throws `login.failed` where another one was set meanwhile.
 */
export async function letIn(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
  passwordHash?: string,
): Promise<void> {
  const owesStep = await deps.db.transaction().execute(async (trx) => {
    const held = await holdAccount(trx, userId);
    ensure(passwordHash === undefined || held?.password_hash === passwordHash, 'login.failed');
    const { enabled } = await getTwoStep(trx, userId);
    await (enabled ? openStep : letInAtOnce)(userId, request, reply, { ...deps, db: trx });
    return enabled;
  });
  if (owesStep) throw new AppError('login.second_factor');
}

/** Holds an account while somebody is let in: a new password, which ends sessions, comes before or after, never between. */
export function holdAccount(trx: Transaction<Tables>, userId: number): Promise<{ password_hash: string } | undefined> {
  const account = trx.selectFrom('users').where('id', '=', userId).select('password_hash');
  return locked(account, trx).executeTakeFirst();
}

/** The same for somebody of whom nothing more is wanted. */
export async function letInAtOnce(
  userId: number,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: Deps,
): Promise<void> {
  await openSession(userId, request, reply, deps);
  await deps.db.updateTable('users').set({ last_login_time: deps.now() }).where('id', '=', userId).execute();
}

/** An account that may sign in at this moment. Throws `login.failed`. */
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
