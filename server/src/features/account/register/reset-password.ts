import type { passwordReset } from '@relay-hub/contract';
import { userStatus } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { disableTokens, endAccess } from '#features/account/access/end-access.ts';
import { ensureHardToGuess, hashChosenPassword } from '#passwords.ts';
import { fingerprint } from '#secrets.ts';
import { lowered } from './email-account.ts';
import { tryCode, useCode } from './mail-code.ts';

const wrong = new AppError('reset.link', { field: 'token' });

/** Whether a link is still valid; does not consume it. */
export async function isGoodLink(
  { db, now }: Pick<Deps, 'db' | 'now'>,
  { email, token }: { email: string; token: string },
): Promise<boolean> {
  const found = await db
    .selectFrom('mail_codes')
    .where('purpose', '=', 'reset')
    .where('email', '=', lowered(email))
    .where('holder', '=', fingerprint(token))
    .where('expires_time', '>', now())
    .select('holder')
    .executeTakeFirst();
  return found !== undefined;
}

/**
 * Sets a new password for the account that the link was sent to. In the same transaction it ends all sessions and the
 * access token, invalidates every other link and code, disables its API tokens and writes an audit entry. Throws
 * `reset.link`, `user.password_easy`.
 */
export async function resetPassword(
  needs: Pick<Deps, 'db' | 'config' | 'now'>,
  { email: typed, token, password }: z.output<typeof passwordReset> & { password: string },
  from: { ip: string; user_agent: string },
): Promise<{ userId: number; disabled: number }> {
  const { db, now } = needs;
  const email = lowered(typed);
  // Before the link, of which a refusal would count an attempt.
  ensureHardToGuess(password, [email]);
  const right = await tryCode(needs, { purpose: 'reset', email, holder: fingerprint(token) }, token, wrong);
  const account = await db.selectFrom('users').where('id', '=', right.userId).select('username').executeTakeFirst();
  const password_hash = await hashChosenPassword(password, [account?.username ?? '', email]);
  return db.transaction().execute(async (trx) => {
    await useCode(trx, right, wrong);
    const changed = await trx
      .updateTable('users')
      .set({ password_hash, password_time: now() })
      .where('id', '=', right.userId)
      // The address may belong to another account by now, or the account may be disabled.
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email))
      .where('status', '=', userStatus.enabled)
      .where('deleted_time', 'is', null)
      .returning(['id', 'username', 'role'])
      .executeTakeFirst();
    if (!changed) throw wrong;
    await endAccess(trx, changed.id);
    const disabled = await disableTokens(trx, changed.id, now());
    await noteReset(trx, { ...changed, ...from, disabled, now: now() });
    return { userId: changed.id, disabled };
  });
}

/** There is no session, so the entry names the link's recipient as the actor. */
async function noteReset(
  db: Db,
  { id, username, role, ip, user_agent, disabled, now }: Reset & { ip: string; user_agent: string },
): Promise<void> {
  const entry = {
    created_time: now,
    actor_id: id,
    actor_name: username,
    actor_role: role,
    ip,
    user_agent,
    via: 'mail_link',
    method: 'POST',
    path: '/api/user/reset',
    kind: 'user',
    object_id: String(id),
    object_name: username,
    status: 200,
    code: '',
    input: JSON.stringify({ disabled_tokens: disabled }),
    before: 'null',
    after: 'null',
  } as const;
  await db.insertInto('audit').values(entry).execute();
}

interface Reset {
  id: number;
  username: string;
  role: number;
  disabled: number;
  now: number;
}
