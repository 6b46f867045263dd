import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadScreen } from '#api/load-screen.ts';
import { searchOf } from '#api/search-of.ts';
import { optionsQuery } from './setting-api.ts';
import type { SettingTab } from './setting-groups.ts';

export interface SettingSearch {
  tab: SettingTab;
  /** Search text for names, descriptions and keys. */
  q: string;
  /** The open history: of a group, or `all`. */
  history: string;
}

export const Route = createFileRoute('/panel/setting')({
  staticData: { menu: { group: 'manage', order: 90, titleKey: 'setting', audience: 'root' }, isNarrow: true },
  ...searchOf<SettingSearch>({ tab: 'operation', q: '', history: '' }),
  loader: ({ context }) =>
    loadScreen(context, ['setting', 'settingNames'], (client) => [client.prefetchQuery(optionsQuery)]),
  component: lazyRouteComponent(() => import('./setting-screen.tsx'), 'SettingScreen'),
});
