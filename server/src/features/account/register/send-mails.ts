import { randomBytes } from 'node:crypto';
import type { MailPurpose } from '#db/tables/sign-in.ts';
import type { Deps } from '#deps.ts';
import { sendMail } from '#mail/send-mail.ts';
import { fingerprint } from '#secrets.ts';
import { findByEmail, isTaken, lowered } from './email-account.ts';
import { keepCode, lifetimeS, newCode } from './mail-code.ts';

export interface MailRequest {
  /** As entered. */
  email: string;
  /** Identifies the requesting browser. */
  holder: string;
  /** The browser's language, if supported. */
  language: string | undefined;
  /** Base URL of links. */
  base: string;
}

const minutes = (purpose: MailPurpose): number => lifetimeS[purpose] / 60;

/**
 * Mails a verification code, or a notice if the address has an account. Both paths send a mail and store a code, so
 * that neither the response nor its timing reveals which. Throws `mail.…`.
 */
export async function sendAddressCode(deps: Deps, { email, holder, language, base }: MailRequest): Promise<void> {
  const code = newCode();
  const taken = await isTaken(deps.db, email);
  await keepCode(deps, { purpose: 'address', email: lowered(email), holder }, taken ? newSecret() : code);
  await sendMail(
    deps,
    email,
    [language],
    taken
      ? { kind: 'addressTaken', ...(base !== '' && { link: `${base}/login` }) }
      : { kind: 'addressCode', code, values: { minutes: minutes('address') } },
  );
}

/** Mails a sign-in code to the address, if it has an account. */
export async function sendLoginCode(deps: Deps, { email, holder, language }: MailRequest): Promise<void> {
  const account = await findByEmail(deps.db, email);
  if (!account) return;
  const code = newCode();
  await keepCode(deps, { purpose: 'login', email: lowered(email), holder, userId: account.id }, code);
  const letter = { kind: 'loginCode', code, values: { minutes: minutes('login') } } as const;
  await sendMail(deps, account.email, [language, account.language], letter);
}

/** Mails a password reset link to the address, if it has an account. */
export async function sendResetLink(deps: Deps, { email, language, base }: MailRequest): Promise<void> {
  const account = await findByEmail(deps.db, email);
  if (!account) return;
  const token = newSecret();
  const kept = { purpose: 'reset', email: lowered(email), holder: fingerprint(token), userId: account.id } as const;
  await keepCode(deps, kept, token);
  const search = new URLSearchParams({ email: account.email, token });
  await sendMail(deps, account.email, [language, account.language], {
    kind: 'passwordReset',
    link: `${base}/user/reset?${search.toString()}`,
    values: { minutes: minutes('reset'), username: account.username },
  });
}

/** 32 hexadecimal digits, as one-hub's links have. */
const newSecret = (): string => randomBytes(16).toString('hex');
