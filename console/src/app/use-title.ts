import { useRouterState } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSiteName } from '#api/site.ts';
import { useCurrentEntry, useHasScreen } from './use-screens.ts';

/** Pages that are not in the menu of the console. */
const titles = {
  '/price': 'public.price',
  '/about': 'public.about',
  '/login': 'public.login',
  '/register': 'public.register',
  '/reset': 'public.reset',
  '/user/reset': 'public.reset',
  '/404': 'missing.title',
  '/panel/404': 'missing.title',
} as const;

const isTitled = (path: string): path is keyof typeof titles => Object.hasOwn(titles, path);

/** Title of the current page, for the browser's tab and screen readers. */
export function useTitle(): string {
  const { t } = useTranslation();
  const name = useSiteName();
  const entry = useCurrentEntry();
  const path = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname.replace(/\/+$/, '') || '/',
  });
  const shown = useHasScreen()(path) ? path : '/404';
  if (entry) return `${t(`menu.${entry.titleKey}`)} · ${name}`;
  return isTitled(shown) ? `${t(titles[shown])} · ${name}` : name;
}
