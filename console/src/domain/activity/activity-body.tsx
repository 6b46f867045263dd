import type { Activity, ActivityDays } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from '@tanstack/react-router';
import { SharedCrosshair } from '#ui/chart/crosshair.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { useTranslation } from '#i18n/use-translation.ts';
import { SuccessRate } from '#domain/channel/health-strip.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { DetailSection } from '#ui/overlay/detail-section.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { ActivityFigures } from './activity-figures.tsx';
import { ActivitySpeed } from './activity-speed.tsx';
import { ActivityReasons } from './activity-reasons.tsx';
import { activityOf, type ActivitySubject } from './activity-api.ts';
import { LastFailures, type LogFilter } from './last-failures.tsx';
import { ViewSkeleton } from './object-drawer.tsx';

interface Props {
  subject: ActivitySubject;
  days: ActivityDays;
  onDays: (days: ActivityDays) => void;
  /** Credits since the record exists; undefined if they are not known. */
  allTime?: number | undefined;
  /** Finds the record's calls in the log. */
  log: LogFilter;
  /** The record's settings, next to the parts. */
  setup: ReactNode;
  /** Between the parts and the failures. */
  children?: ReactNode;
}

/** Activity of a record: figures, bars, reasons, parts, last failures. The same for all kinds of records. */
export function ActivityBody({ subject, days, onDays, allTime, log, setup, children }: Props) {
  const { data, error, isFetching, refetch } = useQuery(activityOf(subject, days));
  const attempts = subject.of === 'channel';
  if (!data)
    return error ? (
      <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
    ) : (
      <ViewSkeleton />
    );
  return (
    <SharedCrosshair>
      <ActivityFigures activity={data} attempts={attempts} allTime={allTime} />
      <div className="grid grid-cols-[minmax(0,1fr)_224px] gap-x-6 max-sm:grid-cols-1">
        <ActivityChart activity={data} attempts={attempts} days={days} onDays={onDays} />
        <ActivityReasons activity={data} attempts={attempts} />
        <ActivitySpeed activity={data} days={days} />
        <ActivityParts activity={data} ofModel={subject.of === 'model'} />
        {setup}
      </div>
      {children}
      <LastFailures activity={data} attempts={attempts} own={subject.of === 'ownToken'} log={log} />
    </SharedCrosshair>
  );
}

interface ActivityPartsProps {
  activity: Activity;
  /** The parts are channels. */
  ofModel: boolean;
}

/** The models of a record, or the channels of a model, by number of calls. */
function ActivityParts({ activity: { parts }, ofModel }: ActivityPartsProps) {
  const { t } = useTranslation('activity');
  return (
    <DetailSection title={t(ofModel ? 'channels' : 'models')}>
      {parts.length === 0 ? (
        <p className="text-13 text-text2">{t(ofModel ? 'noChannels' : 'noModels')}</p>
      ) : (
        <ul className="divide-y divide-line rounded-card border border-line text-13">
          {parts.map((part) => (
            <li key={part.key} className="flex h-9 items-center gap-3 px-3">
              <span className="min-w-0 flex-1 truncate">
                {ofModel && part.name !== '' ? (
                  <Link
                    className="touch text-accent hover:underline"
                    to="/panel/channel"
                    search={{ show: Number(part.key) }}
                  >
                    {part.name}
                  </Link>
                ) : (
                  part.name || `#${part.key}`
                )}
              </span>
              <span className="text-text2 tabular-nums">
                {t('partCalls', { count: part.requests, calls: formatWhole(part.requests) })}
              </span>
              <span className="w-18 text-right">
                <SuccessRate of={part} />
              </span>
              <span className="w-24 text-right">
                <Money credits={part.quota} fixed />
              </span>
            </li>
          ))}
        </ul>
      )}
    </DetailSection>
  );
}
