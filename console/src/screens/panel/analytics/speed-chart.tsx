import type { UsageReport } from '@relay-hub/contract';
import { Timer } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { LineCard } from '#ui/chart/chart-card.tsx';
import { LineKeys } from '#ui/chart/legend.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { fewCalls, formatQuantile, formatSeconds, formatWhole } from '#ui/format/number.ts';
import type { Shown } from './analytics-api.ts';
import { isRunning, pointsOf } from './drawn-groups.ts';
import type { Quality } from './use-quality.ts';
import { useOpenLog } from './use-open-log.ts';
import { speedScale } from './use-scale.ts';

const measures = ['first_token', 'duration'] as const;
type SpeedMeasure = (typeof measures)[number];
const names = { first_token: 'firstToken', duration: 'duration' } as const;

const lineColors = { p50: 'var(--color-series-1)', p95: 'var(--color-series-2)' };
const orNone = (value: number | null | undefined): number | undefined => value ?? undefined;

interface Props {
  page: Shown;
  quality: Quality;
  /** Undefined while loading. */
  report: UsageReport | undefined;
}

/** p50 and p95 over time, of the first token or of the whole call. */
export function SpeedChart({ page, quality, report }: Props) {
  const { t, i18n } = useTranslation(['analytics', 'shared']);
  const [chosen, setMeasure] = useState<SpeedMeasure>();
  const { data } = quality;
  // Usage without streams has no first token.
  const measure = chosen ?? (data?.first_token.calls === 0 && data.duration.calls > 0 ? 'duration' : 'first_token');
  const open = useOpenLog(page, data);
  const points = data ? pointsOf(data, i18n.language.replace('_', '-')) : [];
  const speed = data?.[measure];
  const { requests = 0, request_time: time = 0 } = report?.total ?? {};
  // Of failed calls too, as elsewhere; the first token has no sum.
  const average = measure === 'duration' && requests > 0 ? time / requests : undefined;
  const { series } = speed ?? {};
  const p95 = (series?.p95 ?? []).map((value, at) => ((series?.calls[at] ?? 0) < fewCalls ? undefined : orNone(value)));
  const lines = (['p50', 'p95'] as const).map((share) => ({
    id: share,
    label: share,
    color: lineColors[share],
    values: share === 'p50' ? (speed?.series.p50 ?? []).map(orNone) : p95,
    whole: orNone(speed?.[share]),
  }));
  const { calls } = speed ?? {};
  const nothing = calls !== undefined && calls < fewCalls && (
    <EmptyState
      icon={Timer}
      title={
        calls > 0
          ? t('shared:onlyCalls', { count: calls, total: formatWhole(calls) })
          : t(data && data.duration.calls > 0 ? 'noStreams' : 'speedNone')
      }
    />
  );
  const choice = data && data.duration.calls > 0 && (
    <Segmented
      label={t('speed')}
      value={measure}
      options={measures.map((value) => ({ value, label: t(names[value]) }))}
      onChange={setMeasure}
      className="ml-auto"
    />
  );
  return (
    <LineCard
      title={t(`overTime.${names[measure]}`)}
      value={speed && speed.calls >= fewCalls ? <Quietly>{pair(speed.p50, speed.p95)}</Quietly> : undefined}
      valueAt={(index) => pair(series?.p50[index], p95[index])}
      points={points}
      lines={lines}
      band
      running={report !== undefined && isRunning(report)}
      wholeLabel={t('wholePeriod')}
      format={formatQuantile}
      axis={speedScale.axis}
      unit="ms"
      height={178}
      className="min-w-0"
      onOpen={open}
      instead={insteadOf(quality, nothing)}
      foot={
        <div className="mt-3 flex flex-wrap items-center gap-x-4 gap-y-2">
          <LineKeys lines={lines} format={formatQuantile}>
            {average !== undefined && <li>{t('average', { time: formatSeconds(average) })}</li>}
          </LineKeys>
          {choice}
        </div>
      }
    >
      {/* Without streams there is no chart to place it below. */}
      {nothing && choice}
    </LineCard>
  );
}

const pair = (...times: (number | null | undefined)[]): string =>
  times.map((time) => (typeof time === 'number' ? formatQuantile(time) : '–')).join(' · ');

const Quietly = ({ children }: { children: string }) => (
  <span className="text-13 font-normal text-text2">{children}</span>
);

/** Replaces the chart while there is nothing to draw; undefined otherwise. */
function insteadOf({ data, error, isFetching, refetch }: Quality, empty: ReactNode): ReactNode {
  if (data) return empty || undefined;
  if (error) return <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />;
  return <div aria-hidden className="h-44 rounded-control bg-sunk" />;
}
