import type { passwordReset } from '@relay-hub/contract';
import { userStatus } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { disableTokens, endAccess } from '#features/account/user/end-access.ts';
import { hashPassword } from '#passwords.ts';
import { fingerprint } from '#secrets.ts';
import { lowered } from './email-account.ts';
import { tryCode, useCode } from './mail-code.ts';

const wrong = new AppError('reset.link', { field: 'token' });

/** Whether a link is still good; it is not used up by that. */
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
 * Sets the password that its owner has chosen, of the one account that the link was sent to. All its sessions and its
 * access token end, and so does every other link and code that it was sent; its API keys are switched off. An entry in
 * the audit log says so in the same transaction. Throws `reset.link`.
 */
export async function resetPassword(
  needs: Pick<Deps, 'db' | 'config' | 'now'>,
  { email: typed, token, password }: z.output<typeof passwordReset>,
  from: { ip: string; user_agent: string },
): Promise<{ userId: number; disabled: number }> {
  const { db, now } = needs;
  const email = lowered(typed);
  const right = await tryCode(needs, { purpose: 'reset', email, holder: fingerprint(token) }, token, wrong);
  const password_hash = await hashPassword(password);
  return db.transaction().execute(async (trx) => {
    await useCode(trx, right, wrong);
    const changed = await trx
      .updateTable('users')
      .set({ password_hash, password_time: now() })
      .where('id', '=', right.userId)
      // The address may have become somebody else's since, or the account have been closed.
      .where((eb) => eb(eb.fn<string>('lower', ['email']), '=', email))
      .where('status', '=', userStatus.enabled)
      .where('deleted_time', 'is', null)
      .returning(['id', 'username', 'role'])
      .executeTakeFirst();
    if (!changed) throw wrong;
    await endAccess(trx, changed.id);
    const disabled = await disableTokens(trx, changed.id);
    await noteReset(trx, { ...changed, ...from, disabled, now: now() });
    return { userId: changed.id, disabled };
  });
}

/** Nobody was signed in: the entry names whom the link was sent to. */
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
