import { formatDate, formatDateTime, formatTimeOfDay } from './time.ts';
import { useNow } from './use-now.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

interface Props {
  /** Unix seconds. */
  at: number;
  /** Leaves the seconds out where the date is shown. */
  brief?: boolean;
}

/** Time of day, with the date unless it is today; only the date for earlier years. The tooltip has everything. */
export function ListTime({ at, brief = false }: Props) {
  const full = formatDateTime(at);
  const today = formatDate(useNow(60));
  const date = full.startsWith(today) ? '' : full.startsWith(today.slice(0, 4)) ? full.slice(5, 10) : full.slice(0, 10);
  const time = formatTimeOfDay(at);
  return (
    <Tooltip text={full}>
      <time dateTime={new Date(at * 1000).toISOString()} className="text-text2 tabular-nums">
        {date !== '' && <span className="text-text3">{date} </span>}
        {date.length <= 5 && (brief && date !== '' ? time.slice(0, 5) : time)}
      </time>
    </Tooltip>
  );
}
