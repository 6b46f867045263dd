import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { useSession } from '#api/session.ts';
import { unpricedModels } from '#api/unpriced.ts';
import { languageTag } from '#i18n/i18n.ts';
import { Note } from '#ui/feedback/note.tsx';

const SHOWN = 3;

/** Shows administrators the models that cannot be called because they have no price, with a link to the prices. */
export function UnpricedNotice() {
  const { t } = useTranslation('shared');
  const { isAdmin } = useSession();
  const { data = [] } = useQuery({ ...unpricedModels, enabled: isAdmin });
  const names = data.filter(({ refused }) => refused).map(({ model }) => model);
  if (!isAdmin || names.length === 0) return null;
  const list = new Intl.ListFormat(languageTag(), { type: 'conjunction', style: 'narrow' }).format(
    names.slice(0, SHOWN),
  );
  return (
    <div className="mb-3">
      <Note tone="warn">
        {t(names.length > SHOWN ? 'unpricedMore' : 'unpriced', { count: names.length, list })}{' '}
        <Link to="/panel/pricing" className="underline">
          {t('setPrices')}
        </Link>
      </Note>
    </div>
  );
}
