import { useTranslation } from '#i18n/use-translation.ts';

/** Separates the form from the alternatives. */
export function OrDivider() {
  const { t } = useTranslation('signInAgain');
  return (
    <div className="flex items-center gap-3 text-12 text-text3 before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {t('or')}
    </div>
  );
}
