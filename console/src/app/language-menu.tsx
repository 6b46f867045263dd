import { Globe } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseLanguage } from '#i18n/i18n.ts';
import { isLanguage, languages } from '#i18n/languages.ts';
import { MenuButton } from '#ui/overlay/menu-button.tsx';

const options = languages.map(({ code, name }) => ({ value: code, label: name }));

export function LanguageMenu() {
  const { t, i18n } = useTranslation();
  const pick = (code: string) => {
    if (isLanguage(code)) void chooseLanguage(code);
  };
  const label = t('language.title');
  return (
    <MenuButton label={label} icon={Globe} entries={() => [{ label, value: i18n.language, options, onPick: pick }]} />
  );
}
