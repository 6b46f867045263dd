import { use, useSyncExternalStore } from 'react';
import { i18n, missingTexts, onLanguage, type Translate } from './t.ts';
import type { Namespace } from './texts.ts';

const current = (): string => i18n.language;

/** The texts of `namespaces`, `app` by default; suspends until they have been loaded. */
export function useTranslation<N extends Namespace = 'app'>(
  namespaces: N | readonly N[] = 'app' as N, // the default of both
): { t: Translate<N>; i18n: typeof i18n } {
  useSyncExternalStore(onLanguage, current);
  const missing = missingTexts([namespaces].flat());
  if (missing) use(missing);
  return { t: i18n.translator(namespaces), i18n };
}
