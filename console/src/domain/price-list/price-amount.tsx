import { useTranslation } from 'react-i18next';

/** An amount, or "Free" where it is nothing. */
export function Amount({ text }: { text: string | undefined }) {
  const { t } = useTranslation('price');
  return text === undefined ? <span className="text-ok">{t('free')}</span> : text;
}
