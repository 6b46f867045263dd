import { usageSteps, type UsageReport } from '@relay-hub/contract';
import { ChartColumn } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChartSkeleton } from '#ui/chart/chart-skeleton.tsx';
import { ChartCard } from '#ui/chart/chart-card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import type { Shown } from './analytics-api.ts';
import { mayHours, isOfOne } from './analytics-search.ts';
import { groupColors, isRunning, pointsOf, seriesOf, totalOf, type ChartMeasure } from './drawn-groups.ts';
import { useGroupLabel, useOtherLabel } from './use-labels.ts';
import { useOpenLog } from './use-open-log.ts';
import { requestScale, tokenScale, useMoneyScale } from './use-scale.ts';

interface Props {
  page: Shown;
  /** Undefined while loading. */
  report: UsageReport | undefined;
  /** Shows the period between two dates. */
  onPeriod: (from: string, to: string) => void;
}

const smallHeight = 178;

/** The props that all charts of a report share, and those of one measure. */
function useCharts({ page, report, onPeriod }: Props) {
  const { t, i18n } = useTranslation('analytics');
  const labelOf = useGroupLabel(page.by);
  const otherLabel = useOtherLabel(page.by);
  const open = useOpenLog(page, report);
  return useMemo(() => {
    const points = report ? pointsOf(report, i18n.language.replace('_', '-')) : [];
    const running = report && isRunning(report) ? { mark: t('soFar') } : undefined;
    const colors = report && groupColors(report);
    const chart = (measure: ChartMeasure, value: (sum: number) => number) => ({
      points,
      running,
      onOpen: open,
      onSpan:
        report?.step === 'month'
          ? undefined
          : (first: number, last: number) => {
              const dates = [first, last].map((at) => report?.points[at]?.date.slice(0, 10) ?? '');
              if (dates[0] && dates[1]) onPeriod(dates[0], dates[1]);
            },
      series: report && colors ? seriesOf(report, { measure, colors, labelOf, otherLabel, value }) : [],
    });
    return chart;
  }, [report, onPeriod, labelOf, otherLabel, open, t, i18n.language]);
}

interface SpentProps extends Props {
  onStep: (step: string) => void;
}

/** Spending over time. */
export function SpentChart({ onStep, ...props }: SpentProps) {
  const { t } = useTranslation('analytics');
  const { report, page } = props;
  const { search, by, ofHub } = page;
  const scale = useMoneyScale();
  const chart = useCharts(props)('quota', scale.value);
  const quiet = report && report.total.requests === 0;
  const steps = usageSteps.filter((step) => step !== 'month' && (step !== 'hour' || mayHours(search)));
  return (
    <ChartCard
      {...chart}
      title={t(`spent.${report?.step ?? 'day'}`)}
      value={report && scale.format(scale.value(report.total.quota))}
      valueAt={(index) => scale.format(scale.value(report?.total.series.quota[index] ?? 0))}
      note={<span className="lowercase">{t('byLine', { name: t(`grouping.${by}`) })}</span>}
      format={scale.format}
      axis={scale.axis}
      unit={scale.unit}
      height={228}
      className="min-w-0"
      instead={quiet ? <Quiet ofOne={ofHub && isOfOne(search)} /> : report ? undefined : <ChartSkeleton />}
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

/** Requests and tokens, each with the groups that lead in it. */
export function CountCharts(props: Props) {
  const { t } = useTranslation('analytics');
  const { report } = props;
  const chart = useCharts(props);
  const charts = [
    { measure: 'requests', scale: requestScale, whole: formatWhole },
    { measure: 'tokens', scale: tokenScale, whole: abbreviate },
  ] as const;
  return charts.map(({ measure, scale, whole }) => (
    <ChartCard
      key={measure}
      {...chart(measure, scale.value)}
      title={t(`overTime.${measure}`)}
      value={report && <Quietly>{whole(totalOf(report.total, measure))}</Quietly>}
      valueAt={(index) => scale.format(report?.total.series[measure][index] ?? 0)}
      format={scale.format}
      axis={scale.axis}
      unit={scale.unit}
      whole
      height={smallHeight}
      className="min-w-0"
      instead={report ? undefined : <SmallBones />}
    />
  ));
}

const Quietly = ({ children }: { children: string }) => (
  <span className="text-13 font-normal text-text2">{children}</span>
);

const SmallBones = () => <div aria-hidden className="h-44 rounded-control bg-sunk" />;
