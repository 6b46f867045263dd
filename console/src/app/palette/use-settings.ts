import { useQuery } from '@tanstack/react-query';
import { Settings } from 'lucide-react';
import { useSession } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { i18n } from '#i18n/t.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { matches, ranked, type PaletteGroup } from './palette-item.ts';

const most = 5;

/** Settings by name and key, for those who may change them; their names load with the first typed letter. */
export function useSettings(typed: string): PaletteGroup {
  const { t } = useTranslation('palette');
  const { isRoot } = useSession();
  const { data = [] } = useQuery({
    queryKey: ['palette', 'settings', i18n.language],
    queryFn: async () => {
      const [{ settingGroups }] = await Promise.all([
        import('#screens/panel/setting/setting-groups.ts'),
        loadTexts('setting', 'settingNames'),
      ]);
      const name = i18n.translator(['settingNames', 'setting']);
      return settingGroups.flatMap(({ id, fields }) =>
        fields.map(({ key }) => ({ key, name: name(key), group: name(`setting:groups.${id}`) })),
      );
    },
    staleTime: Infinity,
    enabled: isRoot && typed !== '',
  });
  const found = data
    .filter(({ key, name, group }) => typed !== '' && matches(typed, name, key, group))
    .map((record) => ({ record, name: record.name, fields: [['', record.key] as const] }));
  const items = ranked(typed, found)
    .slice(0, most)
    .map(({ record: { key, name, group } }) => ({
      id: `setting ${key}`,
      icon: Settings,
      title: name,
      note: group,
      to: `/panel/setting?${new URLSearchParams({ q: key })}`,
    }));
  return { title: t('settings'), items };
}
