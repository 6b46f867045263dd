import type { UsageGroup, UsageReport } from '@relay-hub/contract';
import { useNavigate } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { Shown } from './analytics-api.ts';
import { logFiltersOf, logSpanOf } from './log-link.ts';

/** A report with points; its groups, if series have their ids. */
type Opened = Pick<UsageReport, 'points' | 'step'> & { groups?: readonly Pick<UsageGroup, 'id' | 'name'>[] };

/** Opens the log with the calls of a point, and of a series if one was hit. */
export function useOpenLog(page: Shown, report: Opened | undefined): (index: number, series?: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (index, series) => {
      const point = report?.points[index];
      if (!point) return;
      const group = report.groups?.find(({ id }) => id === series);
      void navigate({
        to: '/panel/log',
        search: { ...logFiltersOf({ ...page, group }), time: logSpanOf(point.date, report.step) },
      });
    },
    [navigate, page, report],
  );
}
