import type { SpeedQuantiles, UsageReport } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { NumberCard } from '#ui/basic/number-card.tsx';
import { abbreviate, fewCalls, formatQuantile, formatWhole } from '#ui/format/number.ts';
import { useShareText } from '#ui/format/use-share-text.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { Sparkline } from '#ui/chart/sparkline.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { isRunning } from './drawn-groups.ts';
import { Trend } from './trend.tsx';
import type { Quality } from './use-quality.ts';

interface Props {
  search: AnalyticsSearch;
  /** Undefined while loading. */
  report: UsageReport | undefined;
  quality: Quality;
}

/** The period's totals with their change against the period before. */
export function UsageNumbers(props: Props) {
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
      <Spent {...props} />
      <Requests {...props} />
      <Tokens {...props} />
      <FirstToken {...props} />
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
      note={
        report && (
          <>
            <PerDay report={report} total={report.total.quota} format={format} />
            {report.total.cache_saved > 0 && (
              <>
                {daysOf(report) > 1 && ' · '}
                {t('cacheSaved', { amount: format(report.total.cache_saved) })}
              </>
            )}
          </>
        )
      }
    >
      {report && <Money credits={report.total.quota} />}
    </OneNumber>
  );
}

function Requests({ search, report, quality }: Props) {
  const { t } = useTranslation('analytics');
  const { now, before } = report?.compared ?? {};
  const shareText = useShareText();
  const failed =
    report &&
    report.total.requests > 0 &&
    t('failures', { share: shareText(report.total.failures, report.total.requests) });
  const refused = quality.data?.refusals.reduce((sum, { calls }) => sum + calls, 0) ?? 0;
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
            {failed}
            {refused > 0 && ` · ${t('refused', { total: abbreviate(refused) })}`}
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
  const shareText = useShareText();
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
          <>
            {t('inAndOut', {
              input: abbreviate(report.total.prompt_tokens),
              output: abbreviate(report.total.completion_tokens),
            })}
            {report.total.cache_read > 0 &&
              ` · ${t('cacheShare', { share: shareText(report.total.cache_read, report.total.cache_input) })}`}
          </>
        ))
      }
    >
      {report && <Whole value={sum(report.total) ?? 0} />}
    </OneNumber>
  );
}

/** Time to the first token; of the whole call if there were no streams. */
function FirstToken({ search, report, quality: { data, error } }: Props) {
  const { t } = useTranslation(['analytics', 'shared']);
  const phone = useIsPhone();
  const isWhole = data?.first_token.calls === 0 && data.duration.calls > 0;
  const speed = isWhole ? data.duration : data?.first_token;
  const few = speed && speed.calls > 0 && speed.calls < fewCalls;
  return (
    <OneNumber
      name={t(isWhole ? 'duration' : 'firstToken')}
      trend={
        report &&
        speed && (
          <Trend
            {...{ search, report }}
            format={formatQuantile}
            now={quantileOf(speed.now)}
            before={quantileOf(speed.before)}
            absolute
          />
        )
      }
      // Points without calls have no time.
      values={few ? undefined : speed?.series.p50.map((value) => value ?? undefined)}
      format={formatQuantile}
      open={!!report && isRunning(report)}
      note={
        error && !data
          ? '–'
          : speed &&
            (few
              ? t('shared:onlyCalls', { count: speed.calls, total: formatWhole(speed.calls) })
              : speed.p95 === null || speed.p99 === null
                ? '–'
                : `p95 ${formatQuantile(speed.p95)}${phone ? '' : ` · p99 ${formatQuantile(speed.p99)}`}`)
      }
    >
      {error && !data
        ? '–'
        : speed &&
          (few || speed.p50 === null ? (
            '–'
          ) : (
            <>
              {formatQuantile(speed.p50)} <span className="text-12 font-normal text-text3">p50</span>
            </>
          ))}
    </OneNumber>
  );
}

const quantileOf = ({ calls, p50 }: SpeedQuantiles) => (calls < fewCalls ? undefined : (p50 ?? undefined));

interface OneProps {
  name: string;
  trend: ReactNode;
  /** By point; undefined without data. */
  values: readonly (number | undefined)[] | undefined;
  format: (value: number) => string;
  note: ReactNode;
  /** The last value is not complete yet, and would look like a collapse: it is left out. */
  open: boolean;
  children: ReactNode;
}

function OneNumber({ name, trend, values, format, note, open, children }: OneProps) {
  const { t } = useTranslation('analytics');
  const phone = useIsPhone();
  const drawn = (open ? values?.slice(0, -1) : values)?.filter((value) => value !== undefined);
  const [first, last] = [drawn?.at(0), drawn?.at(-1)];
  const line =
    drawn && drawn.length > 1 && first !== undefined && last !== undefined ? (
      <Sparkline
        values={drawn}
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
            <span className="truncate empty:hidden">{note}</span>
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
}

function daysOf({ points }: UsageReport): number {
  const [first, last] = [points[0], points.at(-1)];
  return first && last ? Math.round((last.end - first.start) / 86_400) : 0;
}

/** The average per day, for periods of several days. */
function PerDay({ report, total, format }: PerDayProps) {
  const { t } = useTranslation('analytics');
  const days = daysOf(report);
  return days < 2 ? null : t('perDay', { amount: format(total / days) });
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
