import type { Incident } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { BellRing } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { WaysCard } from '#domain/ways/ways-card.tsx';
import { incidentPage, PAGE_SIZE } from './incident-api.ts';
import { IncidentRow } from './incident-row.tsx';
import { MonthsCard } from './months-card.tsx';

const IncidentDrawer = lazy(async () => ({ default: (await import('./incident-drawer.tsx')).IncidentDrawer }));

const route = getRouteApi('/panel/incident');
const noRows: Incident[] = [];

/** Troubles of the site, open ones first, and the delivery ways. */
export function IncidentScreen() {
  const { t } = useTranslation('incident');
  const { page, show } = route.useSearch();
  const navigate = route.useNavigate();
  const { data, error, isFetching, refetch } = useQuery(incidentPage(page));
  const rows = data?.data ?? noRows;
  const go = (next: number) => void navigate({ search: (search) => ({ ...search, page: next, show: 0 }) });
  return (
    <>
      <PageHeader title={t('title')} text={t('text')} />
      <div className="grid grid-cols-1 gap-4">
        <Card aria-label={t('title')}>
          {error && !data && <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />}
          {data && rows.length === 0 && <EmptyState icon={BellRing} title={t('none')} text={t('noneText')} />}
          <ul className="divide-y divide-line">
            {rows.map((row) => (
              <IncidentRow key={row.id} incident={row} isShown={show > 0 && row.id === show} />
            ))}
          </ul>
          {(data?.total_count ?? 0) > PAGE_SIZE && (
            <div className="flex justify-end gap-2 border-t border-line p-3">
              <Button size="sm" disabled={page <= 1} onClick={() => go(page - 1)}>
                {t('newer')}
              </Button>
              <Button size="sm" disabled={page * PAGE_SIZE >= (data?.total_count ?? 0)} onClick={() => go(page + 1)}>
                {t('older')}
              </Button>
            </div>
          )}
        </Card>
        <MonthsCard />
        <WaysCard site />
      </div>
      {show > 0 && (
        <Suspense>
          <IncidentDrawer key={show} id={show} onClose={() => go(page)} />
        </Suspense>
      )}
    </>
  );
}
