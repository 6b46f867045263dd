import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { offersQuery } from '#domain/plan/plan-api.ts';
import { PriceList } from '#domain/price-list/price-list.tsx';
import { PriceVersion } from '#domain/price-list/price-version.tsx';

const PricePlans = lazy(async () => ({ default: (await import('./price-plans.tsx')).PricePlans }));

const route = getRouteApi('/_public/price');

export function PriceScreen() {
  const { t } = useTranslation('price');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const offers = useQuery(offersQuery).data ?? [];
  return (
    // Below the public site's header.
    <div className="py-8 text-14 [--sticky-top:64px] max-sm:py-5">
      <PriceList
        search={search}
        onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }), replace: true })}
        heading={({ group, version }) => (
          <>
            <header className="mb-4 flex flex-wrap items-end gap-x-6 gap-y-1 max-sm:mb-3">
              <div className="min-w-0 flex-1 basis-80">
                <h1 className="text-24">{t('title')}</h1>
                <p className="text-15 text-text2 max-sm:hidden">{group ? t('text', { group }) : t('textPlain')}</p>
              </div>
              <PriceVersion version={version} />
            </header>
            {offers.length > 0 && (
              <Suspense>
                <PricePlans offers={offers} />
              </Suspense>
            )}
          </>
        )}
      />
    </div>
  );
}
