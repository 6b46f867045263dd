import { type Language, languageCodes } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { Db } from '#db/tables.ts';
import { askedLanguage } from '#http/reply-language.ts';

/** Language of what an account reads later, such as a mail: the first supported wish, else the site's. */
export function mailLanguage(site: Language, ...wishes: (string | undefined)[]): Language {
  for (const wish of wishes) {
    const language = languageCodes.find((code) => code === wish);
    if (language) return language;
  }
  return site;
}

/** Stores the browser's language as the language of mails to the account. */
export async function rememberLanguage(db: Db, userId: number, request: FastifyRequest): Promise<void> {
  const language = askedLanguage(request);
  if (!language) return;
  await db.updateTable('users').set({ language }).where('id', '=', userId).where('language', '<>', language).execute();
}
