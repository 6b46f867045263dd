import { use, useSyncExternalStore } from 'react';
import i18n, { missingTexts, onLanguage, type Translate } from './i18next.ts';

const current = (): string => i18n.language;

/** The texts of `namespaces`; waits, in the nearest `Suspense`, for those that are not there yet. */
export function useTranslation(namespaces: string | readonly string[] = 'app'): { t: Translate; i18n: typeof i18n } {
  useSyncExternalStore(onLanguage, current);
  const missing = missingTexts([namespaces].flat());
  if (missing) use(missing);
  return { t: i18n.getFixedT(null, namespaces), i18n };
}
