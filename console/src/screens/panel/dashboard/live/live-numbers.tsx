import type { Cockpit } from '@relay-hub/contract';
import { useId, type ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate, useSuccessLevel } from '#domain/channel/health-strip.tsx';
import { Card } from '#ui/basic/card.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { formatMoney } from '#ui/format/money.ts';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, fewCalls, formatPercent, formatQuantile, formatRate, formatWhole } from '#ui/format/number.ts';
import { useShareText } from '#ui/format/use-share-text.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { MinuteChart } from './minute-chart.tsx';

interface Props {
  /** Undefined while loading. */
  state: Cockpit | undefined;
}

/** A pause is shown after this number of minutes without a call. */
const pauseMinutes = 5;

/** The four numbers of the last minutes, each with that of the hour, over the minutes of the hour. */
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
  const { total, minutes, recent, time, from } = state;
  const peak = Math.max(...minutes.calls);
  // The last minute is not over.
  const pause = minutes.calls.length - 2 - minutes.calls.findLastIndex((calls) => calls > 0);
  const isPaused = pause >= pauseMinutes;
  return (
    <LiveNumber
      name={name}
      unit={isPaused ? <span className="text-warn">{t('pausedFor', { minutes: pause })}</span> : t('aMinute')}
      note={t('ofHour', { value: rateText((total.calls / Math.max(1, time - from)) * 60) })}
      chart={
        <MinuteChart
          lines={[{ values: minutes.calls, tone: isPaused ? 'warn' : 'accent' }]}
          label={t('callsTrend', { from: formatWhole(Math.min(...minutes.calls)), to: formatWhole(peak) })}
        />
      }
    >
      {rateText(perMinute(recent.calls, state))}
    </LiveNumber>
  );
}

const perMinute = (sum: number, { time, recent }: Cockpit): number => (sum / Math.max(1, time - recent.from)) * 60;

const rateText = (rate: number): string => (rate >= 10 || rate === 0 ? abbreviate(Math.round(rate)) : rate.toFixed(1));

function Succeeded({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const levelOf = useSuccessLevel();
  const shareText = useShareText();
  const name = t('succeeded');
  if (!state) return <LiveNumber name={name} />;
  const { total, minutes, recent } = state;
  const shares = minutes.calls.map((calls, at) => shareOf(calls - (minutes.refused[at] ?? 0), minutes.failed[at] ?? 0));
  const known = shares.filter((share) => share !== null);
  const worst = Math.min(1, ...known);
  const admitted = total.calls - total.refused;
  const now = { requests: recent.calls - recent.refused, failures: recent.failed };
  return (
    <LiveNumber
      name={name}
      unit={t('ofCalls')}
      note={admitted > 0 && t('ofHour', { value: shareText(admitted - total.failed, admitted, formatRate) })}
      chart={
        <MinuteChart
          lines={[{ values: shares, tone: tones[levelOf(now)] }]}
          // A scale to zero would hide what matters.
          range={[Math.min(0.9, worst - 0.05), 1]}
          label={t('succeededTrend', { worst: formatPercent(worst, 1) })}
        />
      }
    >
      <SuccessRate of={now} strong />
    </LiveNumber>
  );
}

/** The line has the colour of its number. */
const tones = { none: 'ok', few: 'accent', fine: 'ok', some: 'warn', failing: 'bad' } as const;

const shareOf = (admitted: number, failed: number): number | null => (admitted > 0 ? 1 - failed / admitted : null);

function FirstToken({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const name = t('firstToken');
  if (!state) return <LiveNumber name={name} />;
  const { recent, total } = state;
  const text = (ms: number | null, streams: number) => (ms === null || streams < fewCalls ? '–' : formatQuantile(ms));
  const ofHour = { p50: text(total.p50, total.streams), p95: text(total.p95, total.streams) };
  return (
    <LiveNumber
      name={name}
      unit="p50"
      note={
        total.p95 !== null && (
          <>
            {t('ofHour', { value: ofHour.p50 })}
            <span aria-hidden className="mx-1.5 inline-block w-4 border-t border-dashed border-text3 align-middle" />
            p95 {ofHour.p95}
          </>
        )
      }
      chart={
        <MinuteChart
          lines={[
            { values: state.minutes.p95, tone: 'muted' },
            { values: state.minutes.p50, tone: 'accent' },
          ]}
          label={t('firstTokenTrend', ofHour)}
        />
      }
    >
      {text(recent.p50, recent.streams)}
    </LiveNumber>
  );
}

function Spend({ state }: Props) {
  const { t } = useTranslation('cockpit');
  const site = useSiteFormat();
  const name = t('spend');
  if (!state) return <LiveNumber name={name} />;
  const { total, minutes, recent } = state;
  const highest = formatMoney(Math.max(...minutes.quota), site);
  return (
    <LiveNumber
      name={name}
      unit={t('spendAMinute')}
      note={t('ofHour', { value: formatMoney(total.quota, site) })}
      chart={<MinuteChart lines={[{ values: minutes.quota, tone: 'accent' }]} label={t('spendTrend', { highest })} />}
    >
      <Money credits={Math.round(perMinute(recent.quota, state))} />
    </LiveNumber>
  );
}

interface NumberProps {
  name: string;
  unit?: ReactNode;
  /** Under the number. */
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
          <span className="basis-full truncate text-text2">{note}</span>
        </div>
      </div>
      <div className="mt-2 h-11 px-3 pb-1">{chart}</div>
    </Card>
  );
}
