import type { Language } from '@relay-hub/contract';
import { en_US } from './en_US/texts.ts';
import { ja_JP } from './ja_JP/texts.ts';
import type { LanguageTexts } from './text-types.ts';
import { zh_CN } from './zh_CN/texts.ts';
import { zh_HK } from './zh_HK/texts.ts';

const languages: Record<Language, LanguageTexts> = { zh_CN, zh_HK, en_US, ja_JP };

/** The server's texts in a language. */
export const serverTexts = (language: Language): LanguageTexts => languages[language];
