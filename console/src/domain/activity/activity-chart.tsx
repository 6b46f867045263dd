import type { Activity, ActivityDays } from '@relay-hub/contract';
import { lazy, Suspense } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Segmented } from '#ui/form/segmented.tsx';
import { abbreviate, formatWhole } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

const BarChart = lazy(async () => ({ default: (await import('#ui/chart/bar-chart.tsx')).BarChart }));

interface Props {
  activity: Activity;
  attempts: boolean;
  days: ActivityDays;
  onDays: (days: ActivityDays) => void;
}

const height = 172;

/** Tries over time, failed ones on top; the running hour is hatched. */
export function ActivityChart({ activity, attempts, days, onDays }: Props) {
  const { t } = useTranslation('activity');
  const { bars, tries, bar_seconds: length } = activity;
  const day = days === '1';
  const title = t(attempts ? (day ? 'attemptsHour' : 'attemptsSix') : day ? 'callsHour' : 'callsSix');
  const period = (
    <Segmented
      label={t('period')}
      value={days}
      options={[
        { value: '1', label: t('day') },
        { value: '7', label: t('week') },
      ]}
      onChange={onDays}
    />
  );
  return (
    <DetailSection title={title} aside={period}>
      {tries.requests === 0 ? (
        <p
          className="flex items-center justify-center rounded-card border border-dashed border-line2 text-13 text-text2"
          style={{ height }}
        >
          {t(day ? 'noCallsDay' : 'noCallsWeek')}
        </p>
      ) : (
        <Suspense fallback={<div style={{ height }} />}>
          <BarChart
            label={title}
            points={bars.map(({ start }) => ({
              label: day ? formatDateTime(start).slice(11, 16) : formatDateTime(start).slice(5, 10),
              title: `${formatDateTime(start).slice(5, 16)} – ${formatDateTime(start + length).slice(11, 16)}`,
            }))}
            series={[
              {
                id: 'ok',
                label: t('ok'),
                values: bars.map(({ requests, failures }) => requests - failures),
                color: 'var(--color-control)',
              },
              {
                id: 'failed',
                label: t('failed'),
                values: bars.map(({ failures }) => failures),
                color: 'var(--color-bad-g)',
              },
            ]}
            format={formatWhole}
            axis={abbreviate}
            height={height}
            whole
            running={{}}
          />
        </Suspense>
      )}
    </DetailSection>
  );
}
