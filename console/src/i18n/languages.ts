import { languageCodes, type Language } from '@relay-hub/contract';
import type { TextLoaders } from './texts.ts';

/** Where the texts of a language lie; only the reader's own is looked up. */
const loaders: Record<Language, () => Promise<TextLoaders>> = {
  zh_CN: async () => (await import('./zh_CN.ts')).zh_CN,
  zh_HK: async () => (await import('./zh_HK.ts')).zh_HK,
  en_US: async () => (await import('./en_US.ts')).en_US,
  ja_JP: async () => (await import('./ja_JP.ts')).ja_JP,
};

/** As the language menu has them: each names itself. */
const names: Record<Language, string> = { zh_CN: '简体中文', zh_HK: '繁體中文', en_US: 'English', ja_JP: '日本語' };

/** Every language of the console, in the order of the language menu. */
export const languages = languageCodes.map((code) => ({
  code,
  name: names[code],
  /** As `<html lang>`, Accept-Language and Intl spell it. */
  tag: code.replace('_', '-'),
  load: loaders[code],
}));

export const isLanguage = (code: string): code is Language => languages.some((language) => language.code === code);
