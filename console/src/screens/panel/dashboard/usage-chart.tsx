import type { UsageDay } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { ChartBones } from '#shared/chart/chart-bones.tsx';
import { ChartCard } from '#shared/chart-card.tsx';
import { ErrorState } from '#shared/error-state.tsx';
import { axisDollars, dollarsOf, formatDollars } from '#shared/money.ts';
import { abbreviate, formatWhole } from '#shared/number.ts';
import { Segmented } from '#shared/segmented.tsx';
import { useSiteFormat } from '#shared/site-format.ts';
import { ChartNothing } from './chart-nothing.tsx';
import { usageQuery } from './dashboard-api.ts';
import { byModel, total, type Measure } from './usage-days.ts';

const measures = ['quota', 'requests', 'tokens'] as const satisfies readonly Measure[];
const none: UsageDay[] = [];

/** Seven days by model: what was spent, how many requests, how many tokens. */
export function UsageChart({ days }: { days: readonly string[] }) {
  const { t, i18n } = useTranslation('dashboard');
  const usage = useQuery(usageQuery);
  const [measure, setMeasure] = useState<Measure>('quota');
  const scale = scaleOf(measure, useSiteFormat());
  const series = byModel(usage.data ?? none, days, measure).map(({ model, values }) => ({
    id: model,
    label: model,
    values: values.map(scale.value),
  }));
  const weekday = new Intl.DateTimeFormat(i18n.language.replace('_', '-'), { weekday: 'short', timeZone: 'UTC' });
  const points = days.map((day) => ({ label: day.slice(5), title: `${day} ${weekday.format(new Date(day))}` }));
  const quiet = usage.data && byModel(usage.data, days, 'requests').length === 0;
  return (
    <ChartCard
      title={t(`chart.${measure}`)}
      value={usage.data && scale.format(series.reduce((sum, { values }) => sum + total(values), 0))}
      points={points}
      series={series}
      format={scale.format}
      axis={scale.axis}
      className="flex min-w-0 flex-col lg:min-h-87"
      instead={insteadOf(usage, <ChartNothing days={days} axis={scale.axis} />, quiet)}
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

/** What stands in the chart's place; undefined where there is a chart to be seen. */
function insteadOf(
  { data, error, isFetching, refetch }: UseQueryResult<UsageDay[]>,
  nothing: ReactNode,
  quiet: boolean | undefined,
): ReactNode {
  if (quiet) return nothing;
  if (data) return undefined;
  return error ? <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} /> : <ChartBones />;
}

/** How the values of a measure are drawn and written; dollars are drawn as dollars, so that the axis has round ones. */
function scaleOf(measure: Measure, money: ReturnType<typeof useSiteFormat>) {
  if (measure === 'quota' && money.inCurrency)
    return {
      value: (credits: number) => dollarsOf(credits, money),
      format: (dollars: number) => formatDollars(dollars),
      axis: axisDollars,
    };
  const same = (value: number) => value;
  return measure === 'requests'
    ? { value: same, format: formatWhole, axis: abbreviate }
    : { value: same, format: abbreviate, axis: abbreviate };
}
