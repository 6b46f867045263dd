import type { UsageReport } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { NumberCard } from '#ui/basic/number-card.tsx';
import { abbreviate, formatPercent, formatSeconds, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Sparkline } from '#ui/chart/sparkline.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { averageOf, averages, isRunning } from './drawn-groups.ts';
import { Trend } from './trend.tsx';

interface Props {
  search: AnalyticsSearch;
  /** Undefined while loading. */
  report: UsageReport | undefined;
}

/** The period's totals with their change against the period before. */
export function UsageNumbers(props: Props) {
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
      <Spent {...props} />
      <Requests {...props} />
      <Tokens {...props} />
      <Latency {...props} />
    </div>
  );
}

function Spent({ search, report }: Props) {
  const { t } = useTranslation('analytics');
  const site = useSiteFormat();
  const format = (credits: number) => formatMoney(credits, site);
  const { now, before } = report?.compared ?? {};
  return (
    <OneNumber
      name={t('quota')}
      trend={report && <Trend {...{ search, report, format }} now={now?.quota} before={before?.quota} />}
      values={report?.total.series.quota}
      format={format}
      open={!!report && isRunning(report)}
      note={report && <PerDay report={report} total={report.total.quota} format={format} />}
    >
      {report && <Money credits={report.total.quota} />}
    </OneNumber>
  );
}

function Requests({ search, report }: Props) {
  const { t } = useTranslation('analytics');
  const { now, before } = report?.compared ?? {};
  const failed =
    report && t('failures', { share: formatPercent(report.total.failures / (report.total.requests || 1)) });
  return (
    <OneNumber
      name={t('requests')}
      trend={
        report && <Trend {...{ search, report }} format={formatWhole} now={now?.requests} before={before?.requests} />
      }
      values={report?.total.series.requests}
      format={formatWhole}
      open={!!report && isRunning(report)}
      note={
        report && (
          <>
            <PerDay report={report} total={report.total.requests} format={rounded} between />
            {failed}
          </>
        )
      }
    >
      {report && <Whole value={report.total.requests} />}
    </OneNumber>
  );
}

const rounded = (value: number) => abbreviate(Math.round(value));

function Tokens({ search, report }: Props) {
  const { t } = useTranslation('analytics');
  const phone = useIsPhone();
  const sum = (of: { prompt_tokens: number; completion_tokens: number } | undefined) =>
    of && of.prompt_tokens + of.completion_tokens;
  const { now, before } = report?.compared ?? {};
  return (
    <OneNumber
      name={t('tokens')}
      trend={report && <Trend {...{ search, report }} format={abbreviate} now={sum(now)} before={sum(before)} />}
      values={report?.total.series.tokens}
      format={formatWhole}
      open={!!report && isRunning(report)}
      note={
        report &&
        (phone ? (
          <PerDay report={report} total={sum(report.total) ?? 0} format={rounded} />
        ) : (
          t('inAndOut', {
            input: abbreviate(report.total.prompt_tokens),
            output: abbreviate(report.total.completion_tokens),
          })
        ))
      }
    >
      {report && <Whole value={sum(report.total) ?? 0} />}
    </OneNumber>
  );
}

function Latency({ search, report }: Props) {
  const { t } = useTranslation('analytics');
  const average = (of: { request_time: number; requests: number } | undefined) =>
    of && averageOf(of.request_time, of.requests);
  const { now, before } = report?.compared ?? {};
  const whole = average(report?.total);
  return (
    <OneNumber
      name={t('latency')}
      trend={
        report && (
          <Trend {...{ search, report }} format={formatSeconds} now={average(now)} before={average(before)} absolute />
        )
      }
      // Points without calls have no duration.
      values={report && averages(report.total.series).filter((value) => value !== undefined)}
      format={formatSeconds}
      open={!!report && isRunning(report)}
      note={report && t('weighted')}
    >
      {report && (whole === undefined ? '–' : formatSeconds(whole))}
    </OneNumber>
  );
}

interface OneProps {
  name: string;
  trend: ReactNode;
  values: readonly number[] | undefined;
  format: (value: number) => string;
  note: ReactNode;
  /** The last value is not complete yet. */
  open: boolean;
  children: ReactNode;
}

function OneNumber({ name, trend, values, format, note, open, children }: OneProps) {
  const { t } = useTranslation('analytics');
  const phone = useIsPhone();
  const [first, last] = [values?.at(0), values?.at(-1)];
  const line =
    values && values.length > 1 && first !== undefined && last !== undefined ? (
      <Sparkline
        open={open}
        values={values}
        width={phone ? 56 : 88}
        label={t('trend', { name, from: format(first), to: format(last) })}
      />
    ) : undefined;
  return (
    <NumberCard
      name={name}
      aside={trend}
      beside={line}
      note={
        note && (
          <span className="flex items-center gap-2">
            <span className="truncate">{note}</span>
            {phone && trend}
          </span>
        )
      }
    >
      {children}
    </NumberCard>
  );
}

interface PerDayProps {
  report: UsageReport;
  total: number;
  format: (value: number) => string;
  /** Another item follows. */
  between?: boolean;
}

/** The average per day, for periods of several days. */
function PerDay({ report: { points }, total, format, between = false }: PerDayProps) {
  const { t } = useTranslation('analytics');
  const phone = useIsPhone();
  const [first, last] = [points[0], points.at(-1)];
  const days = first && last ? Math.round((last.end - first.start) / 86_400) : 0;
  if (days < 2 || (phone && between)) return null;
  return (
    <>
      {t('perDay', { amount: format(total / days) })}
      {between && ' · '}
    </>
  );
}

function Whole({ value }: { value: number }) {
  const shown = abbreviate(value);
  const whole = formatWhole(value);
  return (
    <Tooltip text={shown === whole ? '' : whole}>
      <data value={value}>{shown}</data>
    </Tooltip>
  );
}
