import type { OwnOrder } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Status, type StatusKind } from '#ui/feedback/status.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { endOf } from './order-end.ts';

const kinds: Record<OwnOrder['status'], StatusKind> = {
  pending: 'pending',
  success: 'paid',
  closed: 'closed',
  failed: 'failed',
  part_refunded: 'refunded',
  refunded: 'refunded',
  disputed: 'doubtful',
  charged_back: 'refunded',
};

/** State of an order in words, with the remaining time or the refunded sum. */
export function OrderStatusText({ order }: { order: OwnOrder }) {
  const { t } = useTranslation('topup');
  const { status } = order;
  const text = () => {
    switch (status) {
      case 'pending':
        return <Waiting until={order.expires_at} />;
      case 'closed':
      case 'failed':
        return t(`orders.${endOf(order)}`);
      case 'part_refunded':
        return t('orders.partRefunded', {
          refunded: formatMinor(order.refunded_minor, order.order_currency),
          paid: formatMinor(order.order_minor, order.order_currency),
        });
      case 'disputed':
      case 'charged_back':
        return t(`orders.${status}`);
      default:
        return undefined;
    }
  };
  return <Status kind={status === 'closed' && endOf(order) === 'expired' ? 'expired' : kinds[status]} text={text()} />;
}

function Waiting({ until }: { until: number }) {
  const { t } = useTranslation('topup');
  const left = Math.ceil((until - useNow(10)) / 60);
  return left > 0 ? t('orders.waitingLeft', { count: left }) : t('orders.waiting');
}
