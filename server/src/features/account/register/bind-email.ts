import type { Deps } from '#deps.ts';
import { holdWithInviter, payInviter } from '#features/account/user/pay-inviter.ts';
import { orTaken } from '#features/account/user/save-user.ts';
import { ensureWelcome, lowered } from './email-account.ts';
import { tryCode, useCode, wrongCode } from './mail-code.ts';

const wrong = wrongCode('code');

/**
 * Sets an account's address after it was verified with a code, and invalidates what was mailed to the previous one.
 * Throws `mail.…`, `register.email_domain`, `record.exists`.
 */
export async function bindEmail(
  needs: Pick<Deps, 'db' | 'config' | 'now' | 'live'>,
  userId: number,
  { email, code, holder }: { email: string; code: string; holder: string },
): Promise<void> {
  ensureWelcome(needs.live.settings, email);
  const right = await tryCode(needs, { purpose: 'address', email: lowered(email), holder }, code, wrong);
  const bound = needs.db.transaction().execute(async (trx) => {
    await useCode(trx, right, wrong);
    await trx.deleteFrom('mail_codes').where('user_id', '=', userId).execute();
    await holdWithInviter(trx, userId);
    const hadNone = await trx
      .updateTable('users')
      .set({ email })
      .where('id', '=', userId)
      .where('email', '=', '')
      .executeTakeFirstOrThrow();
    if (hadNone.numUpdatedRows > 0n) await payInviter(trx, userId, { settings: needs.live.settings, now: needs.now() });
    else await trx.updateTable('users').set({ email }).where('id', '=', userId).execute();
  });
  await orTaken(bound, { email });
}
