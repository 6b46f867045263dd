import type { Incident } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { BellRing } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { WaysCard } from '#domain/ways/ways-card.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { formatDuration } from '#ui/format/time.ts';
import { incidentMonths, incidentPage, PAGE_SIZE } from './incident-api.ts';
import { IncidentRow } from './incident-row.tsx';

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

/** How fast troubles were noticed and repaired, by month; nothing before the first one. */
function MonthsCard() {
  const { t, i18n } = useTranslation('incident');
  const months = useQuery(incidentMonths).data ?? [];
  if (months.length === 0) return null;
  const span = (seconds: number | null) =>
    seconds === null ? '–' : formatDuration(seconds, i18n.language.replace('_', '-'));
  return (
    <Card>
      <CardHead title={t('months')} />
      <table className="w-full border-t border-line text-13 tabular-nums">
        <thead>
          <tr className="text-left text-12 text-text3 *:px-4 *:py-2 *:font-normal">
            <th scope="col">{t('month')}</th>
            <th scope="col" className="text-right">
              {t('title')}
            </th>
            <th scope="col" className="text-right">
              {t('toNotice')}
            </th>
            <th scope="col" className="text-right">
              {t('toRepair')}
            </th>
          </tr>
        </thead>
        <tbody className="divide-y divide-line border-t border-line">
          {months.map(({ month, incidents, to_notice: notice, to_repair: repair }) => (
            <tr key={month} className="*:px-4 *:py-2">
              <td className="whitespace-nowrap">{month}</td>
              <td className="text-right">{formatWhole(incidents)}</td>
              <td className="text-right">{span(notice)}</td>
              <td className="text-right">{span(repair)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
