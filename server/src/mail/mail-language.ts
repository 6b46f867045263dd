import { type Language, languageCodes, languageFor } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';
import type { Db } from '#db/tables.ts';

/** The first language of ours that a request asks for; undefined when it asks for none. */
export function askedLanguage(request: FastifyRequest): Language | undefined {
  for (const range of (request.headers['accept-language'] ?? '').split(',')) {
    const language = languageFor(range.split(';')[0] ?? '');
    if (language) return language;
  }
  return undefined;
}

/** What a mail is written in: the first of these that is a language of ours, the site's own being the last. */
export function mailLanguage(site: Language, ...wishes: (string | undefined)[]): Language {
  for (const wish of wishes) {
    const language = languageCodes.find((code) => code === wish);
    if (language) return language;
  }
  return site;
}

/** Has mails to an account written in the language of the browser that it was signed in to last. */
export async function rememberLanguage(db: Db, userId: number, request: FastifyRequest): Promise<void> {
  const language = askedLanguage(request);
  if (!language) return;
  await db.updateTable('users').set({ language }).where('id', '=', userId).where('language', '<>', language).execute();
}
