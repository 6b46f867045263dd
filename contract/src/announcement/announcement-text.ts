import type { Language } from '../language.ts';

/** The text in the first of these languages that has one, else in any. */
export const announcementText = (texts: Readonly<Record<Language, string>>, ...wishes: Language[]): string =>
  [...wishes.map((language) => texts[language]), ...Object.values(texts)].find((text) => text !== '') ?? '';
