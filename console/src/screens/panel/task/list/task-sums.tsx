import type { TaskTotals } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';

/** Number of the tasks found, their charge, and, where there is room, what was returned. */
export function TaskSums({ totals, short }: { totals: TaskTotals; short: boolean }) {
  const { t } = useTranslation('task');
  const { count, quota, refunded_count: refunds, refunded_quota: returned } = totals;
  return (
    <span className="whitespace-nowrap">
      <TextWithElements
        text={t('sums', { count, total: formatWhole(count) })}
        parts={{ cost: <Money credits={quota} className="font-title text-text" /> }}
      />
      {refunds > 0 && !short && (
        <>
          {' · '}
          <TextWithElements
            text={t('sumsRefunded', { count: refunds, total: formatWhole(refunds) })}
            parts={{ amount: <Money credits={returned} /> }}
          />
        </>
      )}
    </span>
  );
}
