import type { OwnOrder } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { Printer } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { useOrderActions } from './use-order-actions.ts';

/** Resume and cancel while an order is unpaid; its receipt afterwards. */
export function OrderActions({ order }: { order: OwnOrder }) {
  const { t } = useTranslation('topup');
  const { cancel, cancelling } = useOrderActions(order.trade_no);
  const { trade_no: no } = order;
  if (order.status === 'pending')
    return (
      <span className="inline-flex gap-1">
        <Button
          variant="ghost"
          size="sm"
          busy={cancelling}
          saves
          aria-label={t('orders.cancelOf', { no })}
          onClick={cancel}
        >
          {t('orders.cancel')}
        </Button>
        <Button
          size="sm"
          render={
            <Link
              to="/panel/topup"
              search={(now) => ({ ...now, order: no, cancelled: '' })}
              resetScroll={false}
              aria-label={t('orders.resumeOf', { no })}
            />
          }
        >
          {t('orders.resume')}
        </Button>
      </span>
    );
  if (order.receipt_no === '') return null;
  return (
    <Button
      size="sm"
      icon={Printer}
      render={<Link to="/panel/topup/receipt" search={{ order: no }} aria-label={t('orders.receiptOf', { no })} />}
    >
      {t('order.receipt')}
    </Button>
  );
}
