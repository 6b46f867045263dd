import { isAdmin, role, type SessionUser } from '@relay-hub/contract';
import type { AnyRouter } from '@tanstack/react-router';
import type { Texts } from '#i18n/texts.ts';

export const menuGroups = ['overview', 'manage', 'billing', 'usage'] as const;

export type MenuTitle = keyof Texts['app']['menu'];

/** How a screen stands in the sidebar, the breadcrumb and the palette; its audience guards its route. */
export interface MenuItem {
  group: (typeof menuGroups)[number];
  /** Place within the group, or within the parent. */
  order: number;
  /** Its words are in the app's texts, its icon in `menu-icons.ts`. */
  titleKey: MenuTitle;
  audience?: 'admin' | 'root';
  /** The entry that folds this one away. */
  parent?: 'operation' | 'paySetting';
  /** Keeps the address reachable without an entry in the sidebar. */
  hidden?: boolean;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    menu?: MenuItem;
  }
}

export interface MenuEntry extends MenuItem {
  path: string;
}

/** Every screen that declares itself for the menu, in order. */
export function menuEntries(router: AnyRouter, user: SessionUser | undefined): MenuEntry[] {
  const entries: MenuEntry[] = [];
  for (const route of Object.values(router.routesById)) {
    const { menu } = route.options.staticData ?? {};
    if (menu && !menu.hidden && mayOpen(menu, user)) entries.push({ ...menu, path: route.fullPath });
  }
  return entries.toSorted((a, b) => a.order - b.order);
}

export function mayOpen({ audience }: Pick<MenuItem, 'audience'>, user: SessionUser | undefined): boolean {
  const rank = user?.role ?? role.guest;
  if (audience === 'root') return rank >= role.root;
  return audience !== 'admin' || isAdmin(rank);
}
