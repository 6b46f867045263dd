import type { Activity, ActivityDays } from '@relay-hub/contract';
import { lazy, Suspense, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { LineKeys } from '#ui/chart/legend.tsx';
import { Segmented } from '#ui/form/segmented.tsx';
import { fewCalls, formatPlain, formatQuantile } from '#ui/format/number.ts';
import { formatDateTime } from '#ui/format/time.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';

const LineChart = lazy(async () => ({ default: (await import('#ui/chart/line-chart.tsx')).LineChart }));

const measures = ['first_token', 'duration'] as const;
const names = { first_token: 'ofFirstToken', duration: 'ofCall' } as const;
const colors = { p50: 'var(--color-series-1)', p95: 'var(--color-series-2)' };
const height = 132;

interface Props {
  activity: Activity;
  days: ActivityDays;
}

/** p50 and p95 over time, of the first token or of the whole call; nothing with few successful calls. */
export function ActivitySpeed({ activity: { speed, speeds }, days }: Props) {
  const { t } = useTranslation('activity');
  const [chosen, setChosen] = useState<(typeof measures)[number]>();
  if (speed.duration.calls < fewCalls) return null;
  const hasStreams = speed.first_token.calls >= fewCalls;
  const measure = hasStreams ? (chosen ?? 'first_token') : 'duration';
  const day = days === '1';
  const lines = (['p50', 'p95'] as const).map((share) => ({
    id: share,
    label: share,
    color: colors[share],
    values: speeds.map(({ [measure]: point }) =>
      share === 'p50' || point.calls >= fewCalls ? (point[share] ?? undefined) : undefined,
    ),
    whole: speed[measure][share] ?? undefined,
  }));
  const title = t('speedOverTime');
  return (
    <div className="col-span-full min-w-0">
      <DetailSection
        title={title}
        aside={
          hasStreams && (
            <Segmented
              label={title}
              value={measure}
              options={measures.map((value) => ({ value, label: t(names[value]) }))}
              onChange={setChosen}
            />
          )
        }
      >
        <Suspense fallback={<div style={{ height }} />}>
          <LineChart
            label={`${title}: ${t(names[measure])}`}
            points={speeds.map(({ start, until }) => ({
              label: day ? formatDateTime(start).slice(11, 16) : formatDateTime(start).slice(5, 10),
              title: `${formatDateTime(start).slice(5, 16)} – ${formatDateTime(until).slice(day ? 11 : 5, 16)}`,
            }))}
            lines={lines}
            band
            running
            wholeLabel=""
            format={formatQuantile}
            axis={(ms) => `${formatPlain(ms / 1000, 2)} s`}
            height={height}
          />
        </Suspense>
        <LineKeys lines={lines} format={formatQuantile} className="mt-2" />
      </DetailSection>
    </div>
  );
}
