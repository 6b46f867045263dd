import { use, useSyncExternalStore } from 'react';
import { i18n, onLanguage, textsOf, type Translate } from './t.ts';
import type { Namespace } from './texts.ts';

const current = (): string => i18n.language;

/** The texts of `namespaces`, `app` by default; suspends until they have been loaded. */
export function useTranslation<N extends Namespace = 'app'>(
  namespaces: N | readonly N[] = 'app' as N, // the default of both
): { t: Translate<N>; i18n: typeof i18n } {
  useSyncExternalStore(onLanguage, current);
  // Also once they are loaded: when React replays a component that suspended, `use` has to be called again.
  for (const namespace of [namespaces].flat()) use(textsOf(namespace));
  return { t: i18n.translator(namespaces), i18n };
}
