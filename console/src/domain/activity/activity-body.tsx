import type { ActivityDays } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { SharedCrosshair } from '#ui/chart/crosshair.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { ActivityChart } from './activity-chart.tsx';
import { ActivityFigures } from './activity-figures.tsx';
import { ActivitySpeed } from './activity-speed.tsx';
import { ActivityParts } from './activity-parts.tsx';
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
