import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { menuEntries, type ScreenEntry } from './menu.ts';

/** Whether a screen exists at an address, to hide links to missing screens. */
export function useHasScreen(): (path: string) => boolean {
  const router = useRouter();
  return (path) => Object.hasOwn(router.routesByPath, path);
}

function useEntries(): ScreenEntry[] {
  const router = useRouter();
  const { user } = useSession();
  return useMemo(() => menuEntries(router, user), [router, user]);
}

/** The sidebar entries that the user may open, in order. */
export function useMenu(): ScreenEntry[] {
  const entries = useEntries();
  return useMemo(() => entries.filter(({ hidden }) => !hidden), [entries]);
}

const panelHome = '/panel';

/** The entry of the current screen; the panel's root address shows the first entry. */
export function useCurrentEntry(): ScreenEntry | undefined {
  const menu = useEntries();
  const path = useRouterState({
    select: (state) => (state.resolvedLocation ?? state.location).pathname.replace(/\/+$/, ''),
  });
  if (path === panelHome) return menu.find((entry) => entry.path === '/panel/dashboard');
  return menu.find((entry) => path === entry.path || path.startsWith(`${entry.path}/`));
}

/** Title of the current screen: its own, or that of its entry. `above` is the entry of a page with its own. */
export function useCurrentTitle(): { title: string; above?: ScreenEntry } | undefined {
  const { t } = useTranslation();
  const entry = useCurrentEntry();
  const page = useRouterState({ select: ({ matches }) => matches.at(-1)?.staticData.page });
  if (!entry) return undefined;
  return page ? { title: t(`page.${page}`), above: entry } : { title: t(`menu.${entry.titleKey}`) };
}
