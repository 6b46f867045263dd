import type { Cockpit } from '@relay-hub/contract';
import { useId, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, formatPercent, formatSeconds, formatWhole } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { MinuteChart } from './minute-chart.tsx';

interface Props {
  /** Undefined while loading. */
  state: Cockpit | undefined;
}

/** Rounded down, so that 100 % means all. */
const percentOf = (part: number, whole: number): string => formatPercent(Math.floor((part / whole) * 1000) / 1000, 1);

/** The four numbers of the hour, each over its minutes. */
export function LiveNumbers({ state }: Props) {
  return (
    <div className="grid grid-cols-2 gap-4 max-sm:gap-2 lg:grid-cols-4">
      <Calls state={state} />
      <Succeeded state={state} />
      <FirstToken state={state} />
      <Spend state={state} />
    </div>
  );
}

function Calls({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const name = t('calls');
  if (!state) return <LiveNumber name={name} />;
  const { total, minutes, time, from } = state;
  // The last minute is not over.
  const rate = (total.calls / Math.max(1, time - from)) * 60;
  const peak = Math.max(...minutes.calls);
  return (
    <LiveNumber
      name={name}
      unit={t('aMinute')}
      note={t('peak', { calls: abbreviate(peak) })}
      chart={
        <MinuteChart
          lines={[{ values: minutes.calls, tone: 'accent' }]}
          label={t('callsTrend', { from: formatWhole(Math.min(...minutes.calls)), to: formatWhole(peak) })}
        />
      }
    >
      <data value={total.calls}>{rateText(rate)}</data>
    </LiveNumber>
  );
}

const rateText = (rate: number): string => (rate >= 10 || rate === 0 ? abbreviate(Math.round(rate)) : rate.toFixed(1));

function Succeeded({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const name = t('succeeded');
  if (!state) return <LiveNumber name={name} />;
  const { total, minutes } = state;
  const shares = minutes.calls.map((calls, at) => shareOf(calls - (minutes.refused[at] ?? 0), minutes.failed[at] ?? 0));
  const known = shares.filter((share) => share !== null);
  const worst = Math.min(1, ...known);
  const admitted = total.calls - total.refused;
  return (
    <LiveNumber
      name={name}
      unit={t('ofCalls')}
      note={
        total.attempts > 0 &&
        t('ofAttempts', { share: percentOf(total.attempts - total.failed_attempts, total.attempts) })
      }
      chart={
        <MinuteChart
          lines={[{ values: shares, tone: 'ok' }]}
          // A scale to zero would hide what matters.
          range={[Math.min(0.9, worst - 0.05), 1]}
          label={t('succeededTrend', { worst: formatPercent(worst, 1) })}
        />
      }
    >
      <SuccessRate share={admitted > 0 ? 1 - total.failed / admitted : undefined} strong />
    </LiveNumber>
  );
}

const shareOf = (admitted: number, failed: number): number | null => (admitted > 0 ? 1 - failed / admitted : null);

function FirstToken({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const name = t('firstToken');
  if (!state) return <LiveNumber name={name} />;
  const { p50, p95 } = state.total;
  const spans = { p50: p50 === null ? '–' : formatSeconds(p50), p95: p95 === null ? '–' : formatSeconds(p95) };
  return (
    <LiveNumber
      name={name}
      unit="p50"
      note={
        p95 !== null && (
          <>
            <span aria-hidden className="mr-1.5 inline-block w-4 border-t border-dashed border-text3 align-middle" />
            p95 {spans.p95}
          </>
        )
      }
      chart={
        <MinuteChart
          lines={[
            { values: state.minutes.p95, tone: 'muted' },
            { values: state.minutes.p50, tone: 'accent' },
          ]}
          label={t('firstTokenTrend', spans)}
        />
      }
    >
      {spans.p50}
    </LiveNumber>
  );
}

function Spend({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const site = useSiteFormat();
  const name = t('spend');
  if (!state) return <LiveNumber name={name} />;
  const { total, minutes } = state;
  const charged = total.calls - total.refused - total.failed;
  const highest = formatMoney(Math.max(...minutes.quota), site);
  return (
    <LiveNumber
      name={name}
      unit={t('anHour')}
      note={
        charged > 0 && t('aCall', { amount: formatMoney(Math.round(total.quota / charged), site, { exact: true }) })
      }
      chart={<MinuteChart lines={[{ values: minutes.quota, tone: 'accent' }]} label={t('spendTrend', { highest })} />}
    >
      <Money credits={total.quota} />
    </LiveNumber>
  );
}

interface NumberProps {
  name: string;
  unit?: ReactNode;
  /** At the right of the number; under it on phones. */
  note?: ReactNode;
  chart?: ReactNode;
  /** Left out while loading. */
  children?: ReactNode;
}

function LiveNumber({ name, unit, note, chart, children }: NumberProps) {
  const { t } = useTranslation('cockpit');
  const id = useId();
  return (
    <Card aria-labelledby={id} className="min-w-0 overflow-hidden">
      <div className="px-4 pt-3 max-sm:px-3.5">
        <div className="flex items-center justify-between gap-2 text-text2">
          <h2 id={id} className="truncate text-13 font-normal">
            {name}
          </h2>
          <span className="flex-none text-12 text-text3">{t('minutes')}</span>
        </div>
        <div className="mt-1 flex flex-wrap items-baseline gap-x-2 overflow-hidden text-12 tabular-nums">
          <span className="text-26 font-medium tracking-[-0.01em] whitespace-nowrap max-sm:text-20">
            {children ?? <Skeleton width={96} className="h-4!" />}
          </span>
          <span className="text-13 text-text2">{unit}</span>
          <span className="ml-auto whitespace-nowrap text-text2 max-xl:basis-full">{note}</span>
        </div>
      </div>
      <div className="mt-2 h-11 px-3 pb-1">{chart}</div>
    </Card>
  );
}
