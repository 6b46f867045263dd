import type { Language } from '@relay-hub/contract';
import type { User } from 'grammy/types';
import type { Db } from '#db/tables.ts';
import type { Deps } from '#deps.ts';
import { AppError } from '#errors.ts';
import { bind } from '#features/account/identity/bind.ts';
import { errorText } from '#i18n/language.ts';
import { spendBindingCode } from '../binding-code.ts';
import { filled } from '../telegram-texts.ts';
import { serverTexts } from '#i18n/texts.ts';

/** Wrong codes per Telegram account before a pause. */
const CODE_TRIES = 10;
const CODE_WINDOW_S = 1200;

/** Connects a Telegram account with the user who has the code. Returns the reply. */
export async function bindSender(
  { db, limiter, now }: Pick<Deps, 'db' | 'limiter' | 'now'>,
  code: string,
  from: User,
  language: Language,
): Promise<string> {
  const texts = serverTexts(language).bot;
  const tries = `telegram:${from.id}`;
  if ((await limiter.hit(tries, CODE_TRIES, CODE_WINDOW_S)) > 0) return texts.tooMany;
  const userId = await spendBindingCode({ db, now }, code);
  if (userId === undefined) return texts.wrong;
  await limiter.takeBack(tries);
  const name = from.username ? `@${from.username}` : from.first_name || String(from.id);
  const nothing = { issuer: '', username: '', displayName: '', email: '', avatarUrl: '' };
  try {
    await bind(db, userId, { ...nothing, provider: 'telegram', subject: String(from.id), name }, now());
  } catch (error) {
    if (error instanceof AppError) return errorText(error, language);
    throw error;
  }
  const user = await db.selectFrom('users').where('id', '=', userId).select('username').executeTakeFirstOrThrow();
  return filled(texts.bound, { name: user.username });
}

/** Whether the Telegram account was connected until now. */
export async function unbindSender(db: Db, telegramId: number): Promise<boolean> {
  const gone = await db
    .deleteFrom('identities')
    .where('provider', '=', 'telegram')
    .where('subject', '=', String(telegramId))
    .returning('id')
    .executeTakeFirst();
  return gone !== undefined;
}
