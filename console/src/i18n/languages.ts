import { languageCodes, type Language } from '@relay-hub/contract';
import type { TextLoaders } from './texts.ts';

/** Each names itself. Only the texts of the reader's language are loaded. */
const known: Record<Language, { name: string; load: () => Promise<TextLoaders> }> = {
  zh_CN: { name: '简体中文', load: async () => (await import('./zh_CN.ts')).zh_CN },
  zh_HK: { name: '繁體中文', load: async () => (await import('./zh_HK.ts')).zh_HK },
  en_US: { name: 'English', load: async () => (await import('./en_US.ts')).en_US },
  ja_JP: { name: '日本語', load: async () => (await import('./ja_JP.ts')).ja_JP },
};

/** Every language of the console, in the order of the language menu. */
export const languages = languageCodes.map((code) => ({
  code,
  ...known[code],
  /** As `<html lang>`, Accept-Language and Intl spell it. */
  tag: code.replace('_', '-'),
}));

export const isLanguage = (code: string): code is Language => languages.some((language) => language.code === code);
