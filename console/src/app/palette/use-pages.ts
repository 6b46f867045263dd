import { House } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { menuGroups } from '../menu.ts';
import { menuIcons } from '../menu-icons.ts';
import { useMenu } from '../use-screens.ts';
import { matches, ranked, type PaletteGroup } from './palette-item.ts';

/** Screens whose name or address matches. */
export function usePages(typed: string): PaletteGroup {
  const { t } = useTranslation(['app', 'palette']);
  const screens = useMenu()
    .toSorted((a, b) => menuGroups.indexOf(a.group) - menuGroups.indexOf(b.group))
    .map(({ path, titleKey, group }) => ({
      path,
      icon: menuIcons[titleKey],
      title: t(`menu.${titleKey}`),
      note: t(`group.${group}`),
    }));
  const all = [...screens, { path: '/', icon: House, title: t('palette:goHome'), note: '' }];
  const found = all
    .filter(({ path, title }) => matches(typed, title, path))
    .map((record) => ({ record, name: record.title, fields: [] }));
  const items = (typed === '' ? found : ranked(typed, found))
    .map(({ record }) => record)
    .map(({ path, ...shown }) => ({ ...shown, id: `page ${path}`, to: path }));
  return { title: t('palette:pages'), items };
}
