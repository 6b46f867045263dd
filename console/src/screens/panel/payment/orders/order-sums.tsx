import type { OrderTotals } from '@relay-hub/contract';
import { Download } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { IconButton } from '#ui/basic/button.tsx';
import { TextWithElements } from '#ui/format/text-with-elements.tsx';
import { Tooltip } from '#ui/overlay/tooltip.tsx';
import { downloadAddress } from '#screens/panel/payment/payment-api.ts';
import type { OrderFilter } from '#screens/panel/payment/payment-search.ts';

/** Number and sums of the paid orders found, with a download of all found. */
export function OrderReceived({ totals, filter }: { totals: OrderTotals; filter: OrderFilter }) {
  const { t } = useTranslation('payment');
  const { by_currency: sums } = totals;
  const joined = (field: 'paid_minor' | 'refunded_minor') =>
    sums
      .filter((each) => each[field] > 0)
      .map((each) => formatMinor(each[field], each.currency))
      .join(t('and'));
  const paid = sums.reduce((total, { count }) => total + count, 0);
  const returned = joined('refunded_minor');
  return (
    <span className="inline-flex items-center gap-1">
      {paid > 0 && (
        <Tooltip text={returned !== '' && t('returnedSum', { sums: returned })}>
          <span>
            <TextWithElements
              text={t('received', { count: paid })}
              parts={{ sums: <b className="font-title text-text">{joined('paid_minor')}</b> }}
            />
          </span>
        </Tooltip>
      )}
      <IconButton label={t('export')} icon={Download} render={<a href={downloadAddress(filter)} download />} />
    </span>
  );
}

/** Orders found, by status. */
export function OrderCounts({ totals: { count, by_status: parts } }: { totals: OrderTotals }) {
  const { t } = useTranslation('payment');
  return [
    t('total', { count }),
    ...(parts.length > 1 ? parts.map(({ status, count: part }) => t(`counts.${status}`, { count: part })) : []),
  ].join(' · ');
}
