import { isAdmin, role, type SessionUser, type TeamRole } from '@relay-hub/contract';
import type { AnyRouter } from '@tanstack/react-router';
import { accountOf } from '#api/account.ts';
import type { Texts } from '#i18n/texts.ts';

export const menuGroups = ['overview', 'manage', 'billing', 'usage'] as const;

/** Entries that fold others away, with their position in the group. */
export const folds = [
  { id: 'operation', order: 30 },
  { id: 'paySetting', order: 40 },
  { id: 'authentication', order: 45 },
] as const;

export type FoldId = (typeof folds)[number]['id'];

export type MenuTitle = keyof Texts['app']['menu'];

/** A page below an entry, with a separate title. */
export type PageTitle = keyof Texts['app']['page'];

/** A screen's entry in sidebar, breadcrumb and palette; `audience` also guards its route. */
export interface ScreenMenu {
  group: (typeof menuGroups)[number];
  /** Position within the group, or within the parent. */
  order: number;
  /** Key of the title in the app's texts and of the icon in `menu-icons.ts`. */
  titleKey: MenuTitle;
  audience?: 'admin' | 'root';
  /** Roles for which it is there while a person acts for a team; all by default. */
  roles?: readonly TeamRole[] | undefined;
  /** The entry whose fold contains this one. */
  parent?: FoldId;
  /** No entry in the sidebar; the address stays reachable. */
  hidden?: boolean;
}

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    menu?: ScreenMenu;
    page?: PageTitle;
    /** Forms and cards, which stay as wide as on a laptop; lists and charts use a wide screen. */
    isNarrow?: boolean;
    /** Cards with charts: wider than forms, but not as wide as lists, whose columns use the room. */
    isCharts?: boolean;
  }
}

export interface ScreenEntry extends ScreenMenu {
  path: string;
}

/** Path that opening a fold leads to: its first entry. `authentication` only folds out. */
export const pathOfFold = (id: FoldId, entries: readonly Pick<ScreenEntry, 'path'>[]): string | undefined =>
  id === 'authentication' ? undefined : entries[0]?.path;

/** All screens with a menu entry, hidden ones as well, in order. */
export function menuEntries(router: AnyRouter, user: SessionUser | undefined): ScreenEntry[] {
  const entries: ScreenEntry[] = [];
  for (const route of Object.values(router.routesById)) {
    const { menu } = route.options.staticData ?? {};
    if (menu && mayOpen(menu, user)) entries.push({ ...menu, path: route.fullPath });
  }
  return entries.toSorted((a, b) => a.order - b.order);
}

export function mayOpen(
  { audience, roles }: Pick<ScreenMenu, 'audience' | 'roles'>,
  user: SessionUser | undefined,
): boolean {
  const account = accountOf(user?.id);
  if (account && roles && !roles.includes(account.role)) return false;
  const rank = user?.role ?? role.guest;
  if (audience === 'root') return rank >= role.root;
  return audience !== 'admin' || isAdmin(rank);
}
