import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { noTokenFilters } from '../use-token-toolbar.tsx';

const route = getRouteApi('/panel/token');

/** Switches administrators between their own tokens and those of all accounts. */
export function ScopeSwitch() {
  const { t } = useTranslation('token');
  const { isAdmin } = useSession();
  const { scope } = route.useSearch();
  const navigate = route.useNavigate();
  if (!isAdmin) return null;
  return (
    <Segmented
      label={t('scope')}
      value={scope === 'all' ? 'all' : 'own'}
      options={(['own', 'all'] as const).map((value) => ({ value, label: t(`scopes.${value}`) }))}
      onChange={(value) =>
        void navigate({
          search: (now) => ({
            ...now,
            ...noTokenFilters,
            user_id: 0,
            edit: '',
            page: 1,
            order: '',
            scope: value === 'all' ? 'all' : '',
          }),
        })
      }
    />
  );
}
