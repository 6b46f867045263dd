import en from 'zod/v4/locales/en.js';
import zhCN from 'zod/v4/locales/zh-CN.js';
import type * as z from 'zod/mini';
import type { AppError } from '#errors.ts';
import { en_US, ruleTexts_en_US } from './en_US.ts';
import { ruleTexts_zh_CN, zh_CN } from './zh_CN.ts';

export type Language = 'zh_CN' | 'en_US';

const languages = {
  zh_CN: { texts: zh_CN, rules: ruleTexts_zh_CN, problems: zhCN().localeError },
  en_US: { texts: en_US, rules: ruleTexts_en_US, problems: en().localeError },
};

/** The language of a request's answers, from its Accept-Language header; Simplified Chinese when it asks for none of ours. */
export function languageOf(acceptLanguage: string | undefined): Language {
  for (const range of (acceptLanguage ?? '').split(',')) {
    const tag = range.trim().toLowerCase();
    if (tag.startsWith('zh')) return 'zh_CN';
    if (tag.startsWith('en')) return 'en_US';
  }
  return 'zh_CN';
}

/** The text of a refusal in a language. */
export function errorText(error: AppError, language: Language): string {
  const { texts } = languages[language];
  return texts[error.code].replace(/\{(\w+)\}/g, (_, name: string) =>
    String(name === 'field' ? (error.field ?? '') : (error.values[name] ?? '')),
  );
}

/** What is wrong with an input, in words: the contract's own rules by their names, the rest by the validator's locale. */
export function problemText(issue: z.core.$ZodIssue, language: Language): string {
  const { rules, problems } = languages[language];
  const named = rules[issue.message];
  if (named) return named;
  const told = problems(issue as never);
  return typeof told === 'string' ? told : (told?.message ?? issue.message);
}
