import type { BaseDeps } from '#base-deps.ts';
import { mailLanguage } from './mail-language.ts';
import type { Mailer } from './mailer.ts';
import { type EmailInput, writeMail } from './write-mail.ts';

/** Sends a mail in the first supported language, else in the site's. Throws the mailer's errors. */
export async function sendMail(
  { mailer, live }: Pick<BaseDeps, 'live'> & { mailer: Pick<Mailer, 'send'> },
  to: string,
  languages: (string | undefined)[],
  content: Omit<EmailInput, 'site' | 'language'>,
): Promise<void> {
  const { SystemName: site, Language: own } = live.settings;
  await mailer.send(to, writeMail({ ...content, site, language: mailLanguage(own, ...languages) }));
}
