import type { DashboardUsage, DayUsage } from '@relay-hub/contract';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatPercent, formatPlain } from '#ui/format/number.ts';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { useWeekday } from './use-weekday.ts';

/** From this multiple on, yesterday is nothing to compare with. */
const noTrendFrom = 10;

interface Props {
  usage: DashboardUsage;
  /** The compared value of a day; undefined without data. */
  of: (day: DayUsage) => number | undefined;
  format: (value: number) => string;
  /** The values are percentages; their difference is in points. */
  points?: boolean;
}

/** Change of today's completed hours against the same hours of yesterday. */
export function DayComparison({ usage: { days }, of, format, points = false }: Props) {
  const { t } = useTranslation('dashboard');
  const weekday = useWeekday();
  const [yesterday, today] = days.slice(-2);
  // Right after midnight there is nothing to compare yet.
  if (!yesterday || !today || today.until <= today.start) return null;
  const [before, now] = [of(yesterday.so_far), of(today.so_far)];
  if (now === undefined || before === undefined) return null;
  // After a day without calls, or with hardly any, a change says nothing.
  if (!points && now >= before * noTrendFrom) return null;
  const time = formatTimeOfDay(today.until).slice(0, 5);
  const day = weekday(yesterday.date);
  const change = points ? (now - before) * 100 : (now - before) / before;
  const size = Math.abs(change);
  const shown = points ? t('points', { points: formatPlain(size, 2) }) : formatPercent(size, 1);
  const turn = size < (points ? 0.005 : 0.0005) ? 'same' : change > 0 ? 'up' : 'down';
  return (
    <Tooltip text={t('sameHours', { time, now: format(now), before: format(before) })}>
      <span
        tabIndex={0}
        // Where there is no room, the day wraps below the edge.
        className="flex h-4 min-w-0 flex-row-reverse flex-wrap items-center gap-x-1 overflow-hidden rounded-tile text-12/4 whitespace-nowrap text-text2 tabular-nums"
      >
        {turn === 'same' ? (
          <span>{t('same')}</span>
        ) : (
          <span>
            <span className="sr-only">{t(turn, { share: shown })}</span>
            <span aria-hidden className="inline-flex items-center gap-0.5">
              <Icon of={turn === 'up' ? ArrowUp : ArrowDown} size={12} />
              {shown}
            </span>
          </span>
        )}
        <span>{t('vsYesterday', { day, time })}</span>
      </span>
    </Tooltip>
  );
}
