import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState, StaleStrip } from '#ui/feedback/error-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { downloadAddress, usageQuery } from './analytics-api.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { groupingOf, isOfOne } from './analytics-search.ts';
import { AnalyticsToolbar } from './analytics-toolbar.tsx';
import { TotalsCards } from './totals-cards.tsx';
import { OtherCharts, SpentChart } from './usage-charts.tsx';
import { UsageNumbers } from './usage-numbers.tsx';

const route = getRouteApi('/panel/analytics');
// Below the fold.
const AccountCharts = lazy(async () => ({ default: (await import('./account-charts.tsx')).AccountCharts }));
const TopLists = lazy(async () => ({ default: (await import('./top-lists.tsx')).TopLists }));

/** Usage over a period; one period and one grouping apply to every chart. */
export function AnalyticsScreen() {
  const { t } = useTranslation('analytics');
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const phone = useIsPhone();
  const go = (change: Partial<AnalyticsSearch>) => void navigate({ search: (now) => ({ ...now, ...change }) });
  const by = groupingOf(search);
  const usage = useQuery(usageQuery(search, by));
  const { data: report, error, isFetching, isPlaceholderData, refetch } = usage;
  const zone = report && t('zone', { zone: report.time_zone });
  return (
    <>
      <PageHeader
        title={t('title')}
        text={phone ? undefined : report ? t('text', { zone: report.time_zone }) : t('textLoading')}
      >
        {!phone && (
          <Button icon={Download} render={<a href={downloadAddress(search)} download />}>
            {t('download')}
          </Button>
        )}
      </PageHeader>
      <AnalyticsToolbar search={search} report={report} onSearch={go} />
      {error && !report ? (
        <Card className="mb-4">
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        </Card>
      ) : (
        <div
          aria-busy={isPlaceholderData}
          className={cx(
            'grid grid-cols-1 gap-4 transition-opacity max-sm:gap-2',
            isPlaceholderData && !error && 'opacity-60',
          )}
        >
          {error && (
            <div className="overflow-hidden rounded-card border border-line">
              <StaleStrip text={error.message} busy={isFetching} onRetry={() => void refetch()} />
            </div>
          )}
          <UsageNumbers search={search} report={report} />
          <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-[minmax(0,1fr)_356px]">
            <SpentChart by={by} report={report} search={search} onStep={(step) => go({ step })} />
            <TotalsCards />
          </div>
          <OtherCharts by={by} report={report} />
          <Suspense>
            {report?.total.requests !== 0 && <TopLists search={search} />}
            {/* Left out for one user or channel. Rendered after the report, so that the cards above do not push it down. */}
            {report && !isOfOne(search) && <AccountCharts search={search} />}
          </Suspense>
          {phone && zone && <p className="pt-1 text-center text-12 text-text3">{zone}</p>}
        </div>
      )}
    </>
  );
}
