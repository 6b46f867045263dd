import type { IncidentKind, IncidentParams, Language } from '@relay-hub/contract';
import { serverTexts } from '#i18n/texts.ts';

/** Fills placeholders; a missing value becomes an empty text. */
export const filled = (text: string, params: Record<string, unknown>): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name];
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  });

/** Title and advice of an incident. */
export function incidentText(kind: IncidentKind, params: IncidentParams, language: Language) {
  const [title, advice] = serverTexts(language).alarms.incidents[kind];
  return { title: filled(title, params), advice };
}
