import type { DashboardUsage } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { languageTag } from '#i18n/i18n.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { ChartSkeleton } from '#ui/chart/chart-skeleton.tsx';
import { ChartCard } from '#ui/chart/chart-card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { axisDollars, dollarsOf, formatDollars } from '#ui/format/money.ts';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { dayLabels, formatTimeOfDay } from '#ui/format/time.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { accountQuery, usageQuery } from '#screens/panel/dashboard/dashboard-api.ts';
import { useScope } from '#screens/panel/dashboard/scope.ts';
import { cx } from '#ui/basic/cx.ts';
import { byModel, type Measure, measureOf, sameHoursOf, total } from './usage-days.ts';
import { useWeekday } from './use-weekday.ts';

const measures = ['quota', 'requests', 'tokens'] as const satisfies readonly Measure[];
const none: DashboardUsage = { time_zone: '', early_minutes: 0, days: [], models: [] };

/** Spending, requests and tokens by model over seven days. Today is not complete yet. */
export function UsageChart() {
  const { t } = useTranslation('dashboard');
  const query = useQuery(usageQuery(useScope()));
  const { data: usage = none } = query;
  const [measure, setMeasure] = useState<Measure>('quota');
  const scale = scaleOf(measure, useSiteFormat());
  const phone = useIsPhone();
  const weekday = useWeekday();
  const series = byModel(usage, measure).map(({ model, values }) => ({
    id: model,
    label: model,
    values: values.map(scale.value),
  }));
  const labels = dayLabels(
    usage.days.map(({ date }) => date),
    languageTag(),
  );
  const points = usage.days.map(({ date }, at) => {
    const title = `${date} ${weekday(date)}`;
    if (at < usage.days.length - 1) return { label: labels[at] ?? date, title, date };
    return { label: t(phone ? 'today' : 'todaySoFar'), title: t('dateSoFar', { date: title }), date };
  });
  const [yesterday, today] = usage.days.slice(-2);
  const [before] = sameHoursOf(usage, measureOf(measure)).slice(-2);
  const compared = yesterday && today && today.until > today.start && before !== undefined;
  const running = {
    before: compared
      ? {
          label: t('byThen', { day: weekday(yesterday.date), time: formatTimeOfDay(today.until).slice(0, 5) }),
          value: scale.value(before),
        }
      : undefined,
  };
  const quiet = query.data && byModel(usage, 'requests').length === 0;
  return (
    <ChartCard
      title={t(`chart.${measure}`)}
      value={query.data && scale.format(series.reduce((sum, { values }) => sum + total(values), 0))}
      points={points}
      series={series}
      format={scale.format}
      axis={scale.axis}
      unit={scale.unit}
      running={running}
      className="flex min-w-0 flex-col lg:min-h-87"
      instead={insteadOf(query, <EmptyChart days={usage.days.map(({ date }) => date)} axis={scale.axis} />, quiet)}
    >
      {!quiet && (
        <Segmented
          label={t('measure.title')}
          value={measure}
          options={measures.map((value) => ({ value, label: t(`measure.${value}`) }))}
          onChange={setMeasure}
        />
      )}
    </ChartCard>
  );
}

/** Replaces the chart while there is nothing to draw; undefined otherwise. */
function insteadOf(
  { data, error, isFetching, refetch }: UseQueryResult<DashboardUsage>,
  nothing: ReactNode,
  quiet: boolean | undefined,
): ReactNode {
  if (quiet) return nothing;
  if (data) return undefined;
  return error ? (
    <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
  ) : (
    <ChartSkeleton />
  );
}

/** How a measure's values are drawn and formatted; dollars are drawn as dollars for round axis values. */
function scaleOf(measure: Measure, money: ReturnType<typeof useSiteFormat>) {
  if (measure === 'quota' && money.inCurrency)
    return {
      value: (credits: number) => dollarsOf(credits, money),
      format: (dollars: number) => formatDollars(dollars),
      axis: axisDollars,
      unit: '$',
    };
  const same = (value: number) => value;
  return measure === 'requests'
    ? { value: same, format: formatWhole, axis: abbreviate, unit: undefined }
    : { value: same, format: abbreviate, axis: abbreviate, unit: undefined };
}

interface Props {
  days: readonly string[];
  axis: (value: number) => string;
}

/** An empty chart of seven days, with a hint on its future content. */
function EmptyChart({ days, axis }: Props) {
  const { t } = useTranslation('dashboard');
  const { data: self } = useQuery(accountQuery);
  const never = self?.request_count === 0;
  const labels = dayLabels(days, languageTag());
  return (
    <div className="relative flex flex-col text-12 text-text2 tabular-nums">
      <div className="flex h-48 flex-col sm:h-56 justify-between">
        <Level label={axis(1)} className="border-dashed" />
        <Level label={axis(0)} />
      </div>
      <div className="mt-1 flex justify-around pl-9">
        {days.map((day, at) => (
          <span key={day}>{labels[at]}</span>
        ))}
      </div>
      <div className="absolute inset-x-0 top-18 sm:top-22 px-4 text-center text-13">
        <p className="font-title text-text">{t(never ? 'noCalls' : 'noCallsWeek')}</p>
        <p className="mt-0.5">{t(never ? 'noCallsText' : 'noCallsWeekText')}</p>
      </div>
    </div>
  );
}

function Level({ label, className }: { label: string; className?: string }) {
  return (
    <div className="flex items-center gap-2.5">
      <span className="w-6.5 flex-none text-right">{label}</span>
      <span className={cx('flex-1 border-t border-line', className)} />
    </div>
  );
}
