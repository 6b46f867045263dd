import { useTranslation } from '#i18n/use-translation.ts';
import { settingGroups, type SettingName } from './setting-groups.ts';

const keys = new Set<string>(settingGroups.flatMap(({ fields }) => fields.map(({ key }) => key)));

export const isSettingName = (key: string): key is SettingName => keys.has(key);

/** Replaces setting keys in server messages by their names. */
export function useSettingNames(): (message: string) => string {
  const { t } = useTranslation('settingNames');
  return (message) => message.replace(/\b[A-Z]\w+\b/g, (word) => (isSettingName(word) ? t(word) : word));
}
