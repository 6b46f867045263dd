import type { Log } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatWhole } from '#ui/format/number.ts';
import { refusalOf, useRefusalText } from '#domain/refusal/refusal-text.ts';
import { formatTimeOfDay } from '#ui/format/time.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

/** The reason for the refusal and the number of calls in the row. */
export function RefusedRemark({ row }: { row: Log }) {
  const { t } = useTranslation('log');
  const { reason } = useRefusalText();
  const { count = 1, first_time: first = 0 } = refusalOf(row) ?? {};
  return (
    <span className="@container flex h-5 min-w-0 shrink grow basis-34 items-center gap-x-1.5">
      <Tooltip text={row.content}>
        <span className="min-w-0 truncate leading-5 text-warn">
          {/* In narrow rows the text matters more than the status. */}
          <span className="sr-only @[11rem]:not-sr-only">{row.metadata?.status} </span>
          {reason(row)}
        </span>
      </Tooltip>
      {count > 1 && (
        <span className="inline-flex h-5 flex-none items-center gap-1 rounded-full px-1.75 text-12 text-text2 tabular-nums shadow-[inset_0_0_0_1px_var(--color-line2)]">
          {t('times', { count: formatWhole(count) })}{' '}
          <span className="hidden @[15rem]:inline">
            {t('timesSince', { time: formatTimeOfDay(first).slice(0, 5) })}
          </span>
        </span>
      )}
    </span>
  );
}
