import { type Language, languageCodes, languageFor } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { Db } from '#db/tables.ts';

/** The first supported language of a request; undefined if there is none. */
export function askedLanguage(request: FastifyRequest): Language | undefined {
  for (const range of (request.headers['accept-language'] ?? '').split(',')) {
    const language = languageFor(range.split(';')[0] ?? '');
    if (language) return language;
  }
  return undefined;
}

/** Language of a mail: the first supported wish, else the site's. */
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
