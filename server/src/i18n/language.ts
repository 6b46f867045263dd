import { fallbackLanguage, languageFor, type Language } from '@relay-hub/contract';
import type * as z from 'zod/mini';
import type { AppError, ErrorCode } from '#errors.ts';
import { problemOf } from './problem-texts.ts';
import { providerName } from './provider-names.ts';
import { serverTexts } from './texts.ts';
import type { RuleCode } from './zh_CN/errors.ts';

export type { RuleCode };

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
  const { errors } = serverTexts(language);
  return errors[error.code].replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(name === 'field' ? (error.field ?? '') : (error.values[name] ?? ''));
    return name === 'provider' ? providerName(value, language) : value;
  });
}

/** The English text of an error with its placeholders, for the API reference. */
export const errorTextOf = (code: ErrorCode): string => serverTexts('en_US').errors[code];

/** The English text of a rule of the contract, for the API reference; undefined if it is none. */
export const ruleTextOf = (code: string): string | undefined =>
  (serverTexts('en_US').rules as Record<string, string | undefined>)[code];

/** Error text of an invalid input: the contract's rules by name, others by the validator's issue. */
export function problemText(issue: z.core.$ZodIssue, language: Language): string {
  const { rules } = serverTexts(language);
  const named = (rules as Record<string, string | undefined>)[issue.message];
  return named ?? problemOf(issue, language);
}
