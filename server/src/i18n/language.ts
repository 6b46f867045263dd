import { fallbackLanguage, languageFor, type Language } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { AppError, ErrorCode } from '#errors.ts';
import { en_US, ruleTexts_en_US } from './en_US.ts';
import { ja_JP, ruleTexts_ja_JP } from './ja_JP.ts';
import { problemOf } from './problem-texts.ts';
import { providerName } from './provider-names.ts';
import { type RuleCode, ruleTexts_zh_CN, zh_CN } from './zh_CN.ts';
import { ruleTexts_zh_HK, zh_HK } from './zh_HK.ts';

export type { RuleCode };

const languages = {
  zh_CN: { texts: zh_CN, rules: ruleTexts_zh_CN },
  zh_HK: { texts: zh_HK, rules: ruleTexts_zh_HK },
  en_US: { texts: en_US, rules: ruleTexts_en_US },
  ja_JP: { texts: ja_JP, rules: ruleTexts_ja_JP },
} satisfies Record<Language, unknown>;

/** The first supported language of a list as in Accept-Language; Simplified Chinese if there is none. */
export function languageOf(acceptLanguage: string | undefined): Language {
  for (const range of (acceptLanguage ?? '').split(',')) {
    const language = languageFor(range.split(';')[0] ?? '');
    if (language) return language;
  }
  return fallbackLanguage;
}

/** The text of an error in a language. */
export function errorText(error: AppError, language: Language): string {
  const { texts } = languages[language];
  return texts[error.code].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(name === 'field' ? (error.field ?? '') : (error.values[name] ?? ''));
    return name === 'provider' ? providerName(value, language) : value;
  });
}

/** The English text of an error with its placeholders, for the API reference. */
export const errorTextOf = (code: ErrorCode): string => en_US[code];

/** The English text of a rule of the contract, for the API reference; undefined if it is none. */
export const ruleTextOf = (code: string): string | undefined =>
  (ruleTexts_en_US as Record<string, string | undefined>)[code];

/** Error text of an invalid input: the contract's rules by name, others by the validator's issue. */
export function problemText(issue: z.core.$ZodIssue, language: Language): string {
  const { rules } = languages[language];
  const named = (rules as Record<string, string | undefined>)[issue.message];
  return named ?? problemOf(issue, language);
}
