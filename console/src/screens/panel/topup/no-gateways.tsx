import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Note } from '#ui/feedback/note.tsx';

/** Says that nothing can be paid online, and what to do. */
export function NoGateways() {
  const { t } = useTranslation('topup');
  const { isAdmin } = useSession();
  return (
    <Note>
      {t(isAdmin ? 'noGatewaysAdmin' : 'noGateways')}{' '}
      {isAdmin && (
        <Link
          to="/panel/payment"
          search={{ tab: 'gateways' }}
          className="touch text-accent underline underline-offset-2"
        >
          {t('addGateway')}
        </Link>
      )}
    </Note>
  );
}
