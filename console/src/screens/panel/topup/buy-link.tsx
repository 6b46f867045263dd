import { useTranslation } from 'react-i18next';
import { useSite } from '#api/site.ts';

/** The way to the shop that sells codes, where the administrator has told it; else that there is none. */
export function BuyLink() {
  const { t } = useTranslation('topup');
  const site = useSite();
  if (!site) return null;
  if (!/^https?:\/\//i.test(site.top_up_link)) return t('noLink');
  return (
    <a
      href={site.top_up_link}
      target="_blank"
      rel="noopener noreferrer"
      className="touch text-accent underline-offset-2 hover:underline"
    >
      {t('buy')}
    </a>
  );
}
