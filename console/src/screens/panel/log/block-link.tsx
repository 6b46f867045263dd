import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';

/** Opens the block list with the form for this network filled in. */
export function BlockLink({ network, reason }: { network: string; reason: string }) {
  const { t } = useTranslation('log');
  return (
    <Link
      to="/panel/block"
      search={{ edit: 'new', network, reason }}
      aria-label={`${t('block')} ${network}`}
      className="touch ml-2 text-12 text-accent hover:underline"
    >
      {t('block')}
    </Link>
  );
}
