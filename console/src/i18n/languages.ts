import { en_US } from './en_US.ts';
import { zh_CN } from './zh_CN.ts';

/** Every language of the console, in the order of the language menu; each names itself. */
export const languages = [
  { code: 'zh_CN', name: '简体中文', tag: 'zh-CN', load: zh_CN },
  { code: 'en_US', name: 'English', tag: 'en-US', load: en_US },
] as const;

export type Language = (typeof languages)[number]['code'];

export const fallbackLanguage: Language = 'zh_CN';

export const isLanguage = (code: string): code is Language => languages.some((language) => language.code === code);

/** The language of ours that a browser's tag asks for (`en-GB` → `en_US`); undefined when we have none. */
export function languageFor(tag: string): Language | undefined {
  const code = tag.replace('-', '_');
  if (isLanguage(code)) return code;
  const [primary = ''] = tag.toLowerCase().split(/[-_]/);
  const traditional = /^zh.*(hant|tw|hk|mo)/i.test(tag);
  const near = languages.filter((language) => language.code.startsWith(`${primary}_`)).map(({ code: ours }) => ours);
  return (traditional ? near.findLast((ours) => ours !== fallbackLanguage) : undefined) ?? near[0];
}
