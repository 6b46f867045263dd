import type { Deps } from '#deps.ts';
import { waysBeside } from '#features/account/identity/identity-queries.ts';
import { sendMail } from '#mail/send-mail.ts';

type PasswordNoticeDeps = Pick<Deps, 'db' | 'live' | 'mailer' | 'log'>;

interface PasswordChange {
  /** Changed by the owner, or set by an administrator. */
  kind: 'passwordChanged' | 'passwordGiven';
  /** Number of API tokens disabled with it. */
  tokens: number;
}

/**
 * Mails the owner that the password was changed, how many API tokens were disabled and how many sign-in methods remain.
 * Runs in the background; sends nothing without an address or a mail server.
 */
export function notifyPasswordChange(deps: PasswordNoticeDeps, userId: number, news: PasswordChange): void {
  if (!deps.mailer.isSetUp()) return;
  setImmediate(() => {
    sendNotice(deps, userId, news).catch((error: unknown) =>
      deps.log.warn({ err: error, user: userId }, 'password change notice not sent'),
    );
  });
}

async function sendNotice(
  { db, live, mailer }: PasswordNoticeDeps,
  userId: number,
  { kind, tokens }: PasswordChange,
): Promise<void> {
  const user = await db
    .selectFrom('users')
    .where('id', '=', userId)
    .where('email', '<>', '')
    .select(['username', 'email', 'language'])
    .executeTakeFirst();
  if (!user) return;
  const { passkeys, accounts } = await waysBeside(db, userId, live.settings);
  const base = live.settings.ServerAddress;
  await sendMail({ mailer, live }, user.email, [user.language], {
    kind,
    ...(base !== '' && { link: `${base}/panel/token` }),
    values: { username: user.username, tokens, passkeys, accounts, others: passkeys + accounts },
  });
}
