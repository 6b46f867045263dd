import { useTranslation } from '#i18n/use-translation.ts';

/** A price, or "Free" if it is zero. */
export function Amount({ text }: { text: string | undefined }) {
  const { t } = useTranslation('price');
  return text === undefined ? <span className="text-ok">{t('free')}</span> : text;
}
