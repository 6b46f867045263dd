import { useTranslation } from '#i18n/use-translation.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { formatAge, formatDate, formatDateTime, formatLeft, formatTimeOfDay } from './time.ts';
import { useNow } from './use-now.ts';

const formats = { full: formatDateTime, date: formatDate, time: formatTimeOfDay };

interface Props {
  /** Unix seconds; 0, negative or absent is shown as `none`. */
  at: number | null | undefined;
  /** Format; `relative` shows the age and keeps it up to date. */
  as?: keyof typeof formats | 'relative' | undefined;
  /** Text for "no time", e.g. "Never". */
  none?: string | undefined;
  className?: string | undefined;
}

/** A moment in local time; the tooltip has the full time. */
export function Time({ at, as = 'full', none, className }: Props) {
  const { t } = useTranslation('shared');
  if (!at || at <= 0) return <span className={className}>{none ?? t('never')}</span>;
  const element = (
    <time dateTime={new Date(at * 1000).toISOString()} className={`tabular-nums ${className ?? ''}`}>
      {as === 'relative' ? <Age at={at} /> : formats[as](at)}
    </time>
  );
  return as === 'full' ? element : <Tooltip text={formatDateTime(at)}>{element}</Tooltip>;
}

function Age({ at }: { at: number }) {
  const { i18n } = useTranslation('shared');
  const young = Math.abs(useNow(30) - at) < 90;
  const now = useNow(young ? 1 : 30);
  return formatAge(at, now, i18n.language.replace('_', '-'));
}

/** Time left until `until` (Unix seconds), counting down as `2:41`. */
export function Countdown({ until }: { until: number }) {
  const now = useNow(1);
  return <span className="tabular-nums">{formatLeft(until - now)}</span>;
}
