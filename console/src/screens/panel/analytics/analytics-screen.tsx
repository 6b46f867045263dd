import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { lazy, Suspense, useCallback, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { SharedCrosshair } from '#ui/chart/crosshair.tsx';
import { ErrorState, StaleStrip } from '#ui/feedback/error-state.tsx';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { useLatest } from '#ui/basic/use-latest.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { downloadAddress, shownOf, usageQuery } from './analytics-api.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { isOfOne } from './analytics-search.ts';
import { AnalyticsToolbar } from './analytics-toolbar.tsx';
import { CountCharts, SpentChart } from './usage-charts.tsx';
import { UsageNumbers } from './usage-numbers.tsx';
import { useQuality } from './use-quality.ts';

const route = getRouteApi('/panel/analytics');

/** Usage of the whole hub. */
export function AnalyticsScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <UsageScreen
      search={search}
      ofHub
      onSearch={(change) => void navigate({ search: (now) => ({ ...now, ...change }) })}
    />
  );
}

// Not needed for the first picture.
const loadMore = () => import('./analytics-more.tsx');
const SpeedTable = lazy(async () => ({ default: (await loadMore()).SpeedTable }));
const SpeedChart = lazy(async () => ({ default: (await loadMore()).SpeedChart }));
const BelowCharts = lazy(async () => ({ default: (await loadMore()).BelowCharts }));

interface Props {
  search: AnalyticsSearch;
  /** Of the whole hub; otherwise the own usage. */
  ofHub: boolean;
  onSearch: (change: Partial<AnalyticsSearch>) => void;
}

/** Usage over a period; one period and one grouping apply to every chart. */
export function UsageScreen({ search, ofHub, onSearch }: Props) {
  const { t } = useTranslation(['analytics', 'shared']);
  const page = useMemo(() => shownOf(search, ofHub), [search, ofHub]);
  const phone = useIsPhone();
  const usage = useQuery(usageQuery(page));
  const quality = useQuality(page);
  const latest = useLatest(onSearch);
  const onPeriod = useCallback((from: string, to: string) => latest.current({ from, to }), [latest]);
  const { data: report, error, isFetching, isPlaceholderData, refetch } = usage;
  const early = report?.early_minutes ? ` ${t('shared:earlyDays', { time: `23:${60 - report.early_minutes}` })}` : '';
  const zone = report && t('zone', { zone: report.time_zone }) + early;
  const quiet = report?.total.requests === 0;
  return (
    <>
      <PageHeader
        title={t(ofHub ? 'title' : 'ownTitle')}
        text={
          phone
            ? undefined
            : report
              ? t(ofHub ? 'text' : 'ownText', { zone: report.time_zone }) + early
              : t(ofHub ? 'textLoading' : 'ownTextLoading')
        }
      >
        {!phone && (
          <Button icon={Download} render={<a href={downloadAddress(page)} download />}>
            {t('download')}
          </Button>
        )}
      </PageHeader>
      <AnalyticsToolbar page={page} report={report} onSearch={onSearch} />
      {error && !report ? (
        <Card className="mb-4">
          <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
        </Card>
      ) : (
        <SharedCrosshair>
          <div
            aria-busy={isPlaceholderData}
            className={cx(
              'grid grid-cols-1 gap-4 transition-opacity max-sm:gap-2',
              isPlaceholderData && !error && 'opacity-60',
            )}
          >
            {error && <StaleStrip text={error.message} busy={isFetching} onRetry={() => void refetch()} framed />}
            <UsageNumbers search={search} report={report} quality={quality} />
            <div className={cx('grid grid-cols-1 gap-4 max-sm:gap-2', !quiet && 'lg:grid-cols-[minmax(0,1fr)_410px]')}>
              <SpentChart {...{ page, report, onPeriod }} onStep={(step) => onSearch({ step })} />
              {!quiet && (
                <Suspense fallback={<Card className="min-h-80" />}>
                  <SpeedTable page={page} quality={quality} />
                </Suspense>
              )}
            </div>
            {!quiet && (
              <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-3">
                <CountCharts {...{ page, report, onPeriod }} />
                <Suspense fallback={<Card className="min-h-64" />}>
                  <SpeedChart page={page} quality={quality} report={report} />
                </Suspense>
              </div>
            )}
            <Suspense>
              {/* After the report, so that the cards above do not push it down. */}
              {report && (
                <BelowCharts {...{ page, quality, report }} quiet={quiet} showsAccounts={ofHub && !isOfOne(search)} />
              )}
            </Suspense>
            {phone && zone && <p className="pt-1 text-center text-12 text-text3">{zone}</p>}
          </div>
        </SharedCrosshair>
      )}
    </>
  );
}
