import { playgroundToken } from '@relay-hub/contract';
import { useCallback } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';

/** The name of a token on screens; the one that books calls of the playground has an internal name. */
export function useTokenName(): (name: string) => string {
  const { t } = useTranslation('app');
  return useCallback((name) => (name === playgroundToken ? t('menu.playground') : name), [t]);
}
