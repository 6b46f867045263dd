/** Supported languages, in menu order. */
export const languageCodes = ['zh_CN', 'zh_HK', 'en_US', 'ja_JP'] as const;

export type Language = (typeof languageCodes)[number];

/** A value for each language. */
export const perLanguage = <T>(of: (code: Language) => T): Record<Language, T> =>
  Object.fromEntries(languageCodes.map((code) => [code, of(code)])) as Record<Language, T>; // one entry per code

/** Default language. */
export const fallbackLanguage: Language = 'zh_CN';

/** The supported language of a tag (`en-GB` → `en_US`, `zh-TW` and `zh-Hant` → `zh_HK`); undefined if there is none. */
export function languageFor(tag: string): Language | undefined {
  const [primary = '', ...rest] = tag.trim().toLowerCase().split(/[-_]/);
  if (primary === 'zh') return isTraditional(rest) ? 'zh_HK' : 'zh_CN';
  return languageCodes.find((code) => code.split('_')[0] === primary);
}

/** The script subtag counts; without one, the region determines the script. */
const isTraditional = (subtags: string[]) =>
  !subtags.includes('hans') && subtags.some((subtag) => ['hant', 'hk', 'tw', 'mo'].includes(subtag));
