import { type Language, languageCodes, languageFor } from '@relay-hub/contract';
import type { FastifyRequest } from 'fastify';

const ofAccounts = new WeakMap<FastifyRequest, Language>();

/** The first supported language of a request; undefined if there is none. */
export function askedLanguage({ headers }: Pick<FastifyRequest, 'headers'>): Language | undefined {
  for (const range of (headers['accept-language'] ?? '').split(',')) {
    const language = languageFor(range.split(';')[0] ?? '');
    if (language) return language;
  }
  return undefined;
}

/** Notes the language of the account that sent a request; empty or unknown: none. */
export function noteAccountLanguage(request: FastifyRequest, stored: string): void {
  const language = languageCodes.find((code) => code === stored);
  if (language) ofAccounts.set(request, language);
}

/** Language of a reply: as requested, else that of the account, else English, which scripts' authors read. */
export const replyLanguage = (request: FastifyRequest): Language =>
  askedLanguage(request) ?? ofAccounts.get(request) ?? 'en_US';
