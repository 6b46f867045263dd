import { ChevronDown } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { chooseLanguage } from '#i18n/i18n.ts';
import { isLanguage, languages } from '#i18n/languages.ts';
import { Icon } from '#ui/basic/icon.tsx';

/** A native select, which is easiest to use on phones. */
export function LanguageSelect() {
  const { t, i18n } = useTranslation();
  return (
    <span className="relative inline-flex items-center">
      <select
        aria-label={t('language.title')}
        value={i18n.language}
        onChange={({ target }) => isLanguage(target.value) && void chooseLanguage(target.value)}
        className="h-10 cursor-pointer appearance-none rounded-control border border-line2 bg-(--surface) pr-8 pl-3 text-14 text-text2"
      >
        {languages.map(({ code, name }) => (
          <option key={code} value={code}>
            {name}
          </option>
        ))}
      </select>
      <Icon of={ChevronDown} className="pointer-events-none absolute right-2.5 text-text2" />
    </span>
  );
}
