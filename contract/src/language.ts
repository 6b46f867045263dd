/** Every language of the console and of the server's texts, in the order in which they are offered. */
export const languageCodes = ['zh_CN', 'zh_HK', 'en_US', 'ja_JP'] as const;

export type Language = (typeof languageCodes)[number];

/** What counts where nobody asks for a language of ours. */
export const fallbackLanguage: Language = 'zh_CN';

/** The language that a tag asks for (`en-GB` → `en_US`, `zh-TW` and `zh-Hant` → `zh_HK`); undefined when it is none of ours. */
export function languageFor(tag: string): Language | undefined {
  const [primary = '', ...rest] = tag.trim().toLowerCase().split(/[-_]/);
  if (primary === 'zh') return isTraditional(rest) ? 'zh_HK' : 'zh_CN';
  return languageCodes.find((code) => code.split('_')[0] === primary);
}

/** A script that is named counts; without one, the region tells which script is read there. */
const isTraditional = (subtags: string[]) =>
  !subtags.includes('hans') && subtags.some((subtag) => ['hant', 'hk', 'tw', 'mo'].includes(subtag));
