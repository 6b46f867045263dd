import { useTranslation } from '#i18n/use-translation.ts';

export const contentId = 'content';

/** The first tab stop: skips the menus. */
export function SkipLink() {
  const { t } = useTranslation();
  return (
    <a
      href={`#${contentId}`}
      onClick={(event) => {
        event.preventDefault();
        document.getElementById(contentId)?.focus();
      }}
      className="sr-only rounded-control bg-accent-fill text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-70 focus:px-4 focus:py-2.5"
    >
      {t('nav.skip')}
    </a>
  );
}
