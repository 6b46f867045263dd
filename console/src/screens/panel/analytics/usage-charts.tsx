import { usageSteps, type UsageGrouping, type UsageReport } from '@relay-hub/contract';
import { ChartColumn } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChartSkeleton } from '#ui/chart/chart-skeleton.tsx';
import { ChartCard, LineCard } from '#ui/chart/chart-card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { abbreviate, formatSeconds, formatWhole } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { mayHours, isOfOne } from './analytics-search.ts';
import { averageOf, averages, drawnGroups, isRunning, latencyOf, pointsOf, seriesOf } from './drawn-groups.ts';
import { useGroupLabel, useOtherLabel } from './use-labels.ts';
import { latencyScale, requestScale, tokenScale, useMoneyScale } from './use-scale.ts';

interface Props {
  by: UsageGrouping;
  /** Undefined while loading. */
  report: UsageReport | undefined;
}

const smallHeight = 178;

/** The report's groups and points as chart props. */
function useDrawnReport({ by, report }: Props) {
  const { i18n } = useTranslation('analytics');
  const labelOf = useGroupLabel(by);
  const otherLabel = useOtherLabel(by);
  return useMemo(
    () =>
      report
        ? {
            groups: drawnGroups(report, labelOf, otherLabel),
            points: pointsOf(report, i18n.language.replace('_', '-')),
          }
        : { groups: [], points: [] },
    [report, labelOf, otherLabel, i18n.language],
  );
}

/** Marks the last point while it is not complete yet. */
const runningOf = (report: UsageReport | undefined) => (report && isRunning(report) ? {} : undefined);

interface SpentProps extends Props {
  search: AnalyticsSearch;
  onStep: (step: string) => void;
}

/** Spending over time, with the legend for all charts. */
export function SpentChart({ by, report, search, onStep }: SpentProps) {
  const { t } = useTranslation('analytics');
  const { groups, points } = useDrawnReport({ by, report });
  const scale = useMoneyScale();
  const quiet = report && report.total.requests === 0;
  const steps = usageSteps.filter((step) => step !== 'month' && (step !== 'hour' || mayHours(search)));
  return (
    <ChartCard
      title={t(`spent.${report?.step ?? 'day'}`)}
      value={report && scale.format(scale.value(report.total.quota))}
      note={<span className="lowercase">{t('byLine', { name: t(`grouping.${by}`) })}</span>}
      points={points}
      running={runningOf(report)}
      series={seriesOf(groups, 'quota', scale.value)}
      format={scale.format}
      axis={scale.axis}
      height={228}
      className="min-w-0"
      instead={quiet ? <Quiet ofOne={isOfOne(search)} /> : report ? undefined : <ChartSkeleton />}
      foot={by === 'user_group' && <p className="mt-2 text-12 text-text3">{t('groupNow')}</p>}
    >
      {report && report.step !== 'month' && steps.length > 1 && !quiet && (
        <Segmented
          label={t('step')}
          value={report.step}
          options={steps.map((value) => ({ value, label: t(`steps.${value}`) }))}
          onChange={onStep}
        />
      )}
    </ChartCard>
  );
}

function Quiet({ ofOne }: { ofOne: boolean }) {
  const { t } = useTranslation('analytics');
  return <EmptyState icon={ChartColumn} title={t('noCalls')} text={t(ofOne ? 'noCallsOf' : 'noCallsText')} />;
}

/** Requests, tokens and latency of the same groups, in the same colours. */
export function OtherCharts(props: Props) {
  const { t } = useTranslation('analytics');
  const { report } = props;
  const { groups, points } = useDrawnReport(props);
  if (report?.total.requests === 0) return null;
  const { total } = report ?? {};
  const shared = {
    points,
    height: smallHeight,
    className: 'min-w-0',
    instead: report ? undefined : <SmallBones />,
  };
  const whole = total && averageOf(total.request_time, total.requests);
  return (
    <div className="grid grid-cols-1 gap-4 max-sm:gap-2 lg:grid-cols-3">
      <ChartCard
        title={t('overTime.requests')}
        value={total && <Quietly>{formatWhole(total.requests)}</Quietly>}
        series={seriesOf(groups, 'requests', requestScale.value)}
        format={requestScale.format}
        axis={requestScale.axis}
        whole
        running={runningOf(report)}
        {...shared}
        legend={false}
      />
      <ChartCard
        title={t('overTime.tokens')}
        value={total && <Quietly>{abbreviate(total.prompt_tokens + total.completion_tokens)}</Quietly>}
        series={seriesOf(groups, 'tokens', tokenScale.value)}
        format={tokenScale.format}
        axis={tokenScale.axis}
        whole
        running={runningOf(report)}
        {...shared}
        legend={false}
      />
      <LineCard
        title={t('overTime.latency')}
        value={whole !== undefined && <Quietly>{formatSeconds(whole)}</Quietly>}
        note={t('dashed')}
        lines={latencyOf(groups)}
        mean={{ label: t('mean'), values: total ? averages(total.series) : [], whole }}
        format={latencyScale.format}
        axis={latencyScale.axis}
        {...shared}
      />
    </div>
  );
}

const Quietly = ({ children }: { children: string }) => (
  <span className="text-13 font-normal text-text2">{children}</span>
);

const SmallBones = () => <div aria-hidden className="h-44 rounded-control bg-sunk" />;
