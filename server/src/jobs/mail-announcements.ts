import { announcementText, type Language, userStatus } from '@relay-hub/contract';
import type { Selectable } from 'kysely';
import type { Tables } from '#db/tables.ts';
import { AppError } from '#errors.ts';
import { mailLanguage } from '#mail/mail-language.ts';
import { sendMail } from '#mail/send-mail.ts';
import { unsubscribeHeaders, unsubscribeToken } from '#mail/unsubscribe.ts';
import { utcText } from '#mail/utc-text.ts';
import type { RemindDeps } from './remind-balances.ts';

/** Mails of a round: servers refuse larger bursts. */
const AT_ONCE = 50;

type AnnouncementDeps = RemindDeps & { config: { secretKey: string } };

/**
 * Mails announcements to users, a batch per round. The place in the list of users is stored before each mail, so that
 * no user gets two. Returns the number of mails.
 */
export async function mailAnnouncements(deps: AnnouncementDeps, isOver: () => boolean = () => false): Promise<number> {
  const { db, mailer, live } = deps;
  if (!mailer.isSetUp() || live.settings.ServerAddress === '') return 0;
  const announcement = await db
    .selectFrom('announcements')
    .where('mail_state', '=', 'sending')
    .selectAll()
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (!announcement) return 0;
  const { id, groups, languages, end_time: end } = announcement;
  let sent = 0;
  const users = end !== 0 && end <= deps.now() ? [] : await readersAfter(deps, announcement);
  for (const user of users) {
    if (isOver()) return sent;
    const isClaimed = await db
      .updateTable('announcements')
      .set({ mail_after: user.id })
      .where('id', '=', id)
      .where('mail_after', '<', user.id)
      .returning('id')
      .executeTakeFirst();
    const language = mailLanguage(live.settings.Language, user.language);
    const isReader = (groups.length === 0 || groups.includes(user.group)) && isAmong(languages, language);
    if (!isClaimed || !isReader || !(await send(deps, announcement, { ...user, language }))) continue;
    await db
      .updateTable('announcements')
      .set((eb) => ({ mailed: eb('mailed', '+', 1) }))
      .where('id', '=', id)
      .execute();
    sent++;
  }
  if (users.length < AT_ONCE)
    await db.updateTable('announcements').set({ mail_state: 'sent' }).where('id', '=', id).execute();
  return sent;
}

const isAmong = (languages: readonly string[], language: string): boolean =>
  languages.length === 0 || languages.includes(language);

const readersAfter = ({ db }: AnnouncementDeps, { mail_after: after }: { mail_after: number }) =>
  db
    .selectFrom('users')
    .where('id', '>', after)
    .where('email', '<>', '')
    .where('announcement_mails', '=', true)
    .where('status', '=', userStatus.enabled)
    .where('deleted_time', 'is', null)
    .select(['id', 'email', 'language', 'group'])
    .orderBy('id')
    .limit(AT_ONCE)
    .execute();

/** Whether the mail was accepted. If not, it is not sent again. */
async function send(
  { config, live, mailer, log }: AnnouncementDeps,
  { kind, texts, start_time: start, end_time: end }: Selectable<Tables['announcements']>,
  user: { id: number; email: string; language: Language },
): Promise<boolean> {
  const { ServerAddress: site, Language: fallback } = live.settings;
  const token = unsubscribeToken(config.secretKey, user.id);
  try {
    await sendMail({ mailer, live }, user.email, [user.language], {
      kind,
      link: site,
      values: {
        text: announcementText(texts, user.language, fallback),
        start: utcText(start),
        end: utcText(end),
        unsubscribe: `${site}/unsubscribe?token=${token}`,
      },
      headers: unsubscribeHeaders(site, token),
    });
    return true;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ code: error.code, user: user.id }, 'an announcement was not mailed');
    return false;
  }
}
