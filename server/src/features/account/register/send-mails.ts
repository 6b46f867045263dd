import { randomBytes } from 'node:crypto';
import type { MailPurpose } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { sendMail } from '#mail/send-mail.ts';
import { fingerprint } from '#secrets.ts';
import { findByEmail, isTaken, lowered } from './email-account.ts';
import { keepCode, lifetimeS, newCode } from './mail-code.ts';

export interface Asked {
  /** As it was typed. */
  email: string;
  /** Which browser asked. */
  holder: string;
  /** What its language is, where it has one of ours. */
  language: string | undefined;
  /** What links begin with. */
  base: string;
}

const minutes = (purpose: MailPurpose): number => lifetimeS[purpose] / 60;

/**
 * Sends a code to an address that is to be proved; to one that has an account, word of that. Both take a mail and a
 * kept code, so that neither the answer nor its time tells which it was. Throws `mail.…`.
 */
export async function sendAddressCode(deps: Deps, { email, holder, language, base }: Asked): Promise<void> {
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

/** Sends a code to sign in with to the owner of an address, if it has one. */
export async function sendLoginCode(deps: Deps, { email, holder, language }: Asked): Promise<void> {
  const account = await findByEmail(deps.db, email);
  if (!account) return;
  const code = newCode();
  await keepCode(deps, { purpose: 'login', email: lowered(email), holder, userId: account.id }, code);
  const letter = { kind: 'loginCode', code, values: { minutes: minutes('login') } } as const;
  await sendMail(deps, account.email, [language, account.language], letter);
}

/** Sends a link to choose a new password with to the owner of an address, if it has one. */
export async function sendResetLink(deps: Deps, { email, language, base }: Asked): Promise<void> {
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

/** 32 hexadecimal digits, as links of the product family have them. */
const newSecret = (): string => randomBytes(16).toString('hex');
