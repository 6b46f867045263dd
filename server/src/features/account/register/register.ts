import type { registration } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { Deps } from '#deps.ts';
import { ensure } from '#errors.ts';
import { createAccount } from '#features/account/user/create-account.ts';
import { orTaken } from '#features/account/user/save-user.ts';
import { ensureHardToGuess, hashChosenPassword } from '#passwords.ts';
import { ensureWelcome, lowered } from './email-account.ts';
import { tryCode, useCode, wrongCode } from './mail-code.ts';

type RegisterDeps = Pick<Deps, 'db' | 'live' | 'config' | 'now'>;

interface From {
  ip: string;
  language: string | undefined;
  holder: string;
}

const wrong = wrongCode('verification_code');

/** Throws `register.closed`, `register.password_closed`. */
export function ensureOpen({ live: { settings } }: Pick<Deps, 'live'>): void {
  ensure(settings.RegisterEnabled, 'register.closed');
  ensure(settings.PasswordRegisterEnabled, 'register.password_closed');
}

/**
 * Creates an account with the credits for new users and the invitation rewards. With e-mail verification on it needs a
 * mailed code; otherwise no address is stored. The code is consumed only if the account is created, so a taken name can
 * be corrected. Throws `register.…`, `mail.…`, `user.password_easy`,
 * `record.exists`.
 */
export async function register(
  deps: RegisterDeps,
  { username, password, email: typed, verification_code: code, aff_code: aff }: z.output<typeof registration>,
  { ip, language = '', holder }: From,
): Promise<number> {
  const { db, live, now } = deps;
  const { settings } = live;
  ensureOpen(deps);
  // Before the code, of which a refusal would count an attempt.
  ensureHardToGuess(password, [username, typed]);
  const email = settings.EmailVerificationEnabled ? typed : '';
  if (settings.EmailVerificationEnabled) ensureWelcome(settings, email);
  const right = settings.EmailVerificationEnabled
    ? await tryCode(deps, { purpose: 'address', email: lowered(email), holder }, code, wrong)
    : undefined;
  const password_hash = await hashChosenPassword(password, [username, typed]);
  const account = { username, display_name: '', email, avatar_url: '', password_hash, aff, language };
  const made = db.transaction().execute(async (trx) => {
    if (right) await useCode(trx, right, wrong);
    return createAccount(trx, account, { settings, now: now(), ip });
  });
  return orTaken(made, { username, email });
}
