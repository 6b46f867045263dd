import { getRouteApi } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { PriceList } from '#domain/price-list/price-list.tsx';
import { UnpricedNotice } from '#domain/model/unpriced-notice.tsx';
import { PriceVersion } from '#domain/price-list/price-version.tsx';

const route = getRouteApi('/panel/model_price');

/** The models available to the user, with prices. */
export function ModelPriceScreen() {
  const { t } = useTranslation('price');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <PriceList
      search={search}
      onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
      heading={({ group, version }) => (
        <>
          <PageHeader title={t('panelTitle')} text={group ? t('panelText', { group }) : t('textPlain')}>
            <PriceVersion version={version} />
          </PageHeader>
          <UnpricedNotice />
        </>
      )}
    />
  );
}
