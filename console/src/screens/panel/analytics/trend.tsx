import type { UsageReport } from '@relay-hub/contract';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Icon } from '#ui/basic/icon.tsx';
import { formatPercent } from '#ui/format/number.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { daysBetween } from './analytics-search.ts';

interface Props {
  search: AnalyticsSearch;
  report: UsageReport;
  /** Value for the completed hours, and for the same hours of the period before; undefined without data. */
  now: number | undefined;
  before: number | undefined;
  format: (value: number) => string;
  /** Shows a difference instead of a percentage. */
  absolute?: boolean;
}

/** From this multiple on, the period before was another one: a hub that was new, or not in use. */
const noTrendFrom = 10;

/** Change against the period before; nothing if there is none to compare with. */
export function Trend({ search, report, now, before, format, absolute = false }: Props) {
  const { t } = useTranslation('analytics');
  // A few calls of a new or quiet hub are nothing to compare with.
  if (now === undefined || !before || now >= before * noTrendFrom) return null;
  const change = now - before;
  const shown = absolute ? format(Math.abs(change)) : formatPercent(Math.abs(change) / before, 1);
  const turn = change > 0 ? 'up' : change < 0 ? 'down' : 'same';
  const { days, from, to } = search;
  const hint = t('compared', {
    count: from !== '' && to !== '' ? daysBetween(from, to) : days,
    until: timeIn(report.time_zone, report.compared.until),
    before: format(before),
    now: format(now),
  });
  return (
    <Tooltip text={hint}>
      <span
        tabIndex={0}
        className="inline-flex items-center gap-0.5 rounded-tile text-12 whitespace-nowrap text-text2 tabular-nums"
      >
        {turn === 'same' ? (
          t('same')
        ) : (
          <>
            <span className="sr-only">{t(turn, { change: shown })}</span>
            <span aria-hidden className="inline-flex items-center gap-0.5">
              <Icon of={turn === 'up' ? ArrowUp : ArrowDown} size={12} />
              {shown}
            </span>
          </>
        )}
      </span>
    </Tooltip>
  );
}

/** `2026-11-20 14:00` in a time zone; the Swedish format is that of ISO 8601. */
const timeIn = (timeZone: string, seconds: number): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(seconds * 1000);
