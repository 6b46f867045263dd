import { useTranslation } from '#i18n/use-translation.ts';
import { useSite } from '#api/site.ts';

/** Link to the shop for codes, or a note that none is configured. */
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
      className="touch text-accent underline underline-offset-2"
    >
      {t('buy')}
    </a>
  );
}
