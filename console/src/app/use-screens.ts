import { useRouter, useRouterState } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSession } from '#api/session.ts';
import { menuEntries, type MenuEntry } from './menu.ts';

/** Whether this console has a screen at an address; what leads to a screen that is not there is not drawn. */
export function useHasScreen(): (path: string) => boolean {
  const router = useRouter();
  return (path) => Object.hasOwn(router.routesByPath, path);
}

/** The entries of the sidebar that the visitor may open, in order. */
export function useMenu(): MenuEntry[] {
  const router = useRouter();
  const { user } = useSession();
  return useMemo(() => menuEntries(router, user), [router, user]);
}

const panelHome = '/panel';

/** The entry whose screen is shown; the panel's own address shows its first one. */
export function useCurrentEntry(): MenuEntry | undefined {
  const menu = useMenu();
  const path = useRouterState({
    select: (state) => (state.resolvedLocation ?? state.location).pathname.replace(/\/+$/, ''),
  });
  if (path === panelHome) return menu.find((entry) => entry.path === '/panel/dashboard');
  return menu.find((entry) => path === entry.path || path.startsWith(`${entry.path}/`));
}
