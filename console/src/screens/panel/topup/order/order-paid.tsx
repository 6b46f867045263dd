import type { OwnOrderDetail } from '@relay-hub/contract';
import { Link } from '@tanstack/react-router';
import { ChevronRight, Printer } from 'lucide-react';
import type { RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Button } from '#ui/basic/button.tsx';
import { Icon } from '#ui/basic/icon.tsx';
import { Money } from '#ui/format/money.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import { OrderFact, OrderFacts, OrderNumber } from './order-facts.tsx';

/** A paid order: the balance before and now, and how it was paid. */
export function OrderPaid({ order }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('topup');
  const paid = formatMinor(order.order_minor, order.order_currency);
  return (
    <>
      <BeforeAndNow order={order} />
      <OrderFacts>
        <OrderFact name={t('order.paidSum')}>
          {t('order.paidWith', { amount: paid, gateway: order.gateway_name })}
        </OrderFact>
        {order.paid_at > 0 && <OrderFact name={t('order.received')}>{formatDateTime(order.paid_at)}</OrderFact>}
        {order.refunded_minor > 0 && (
          <OrderFact name={t('order.refunded')}>{formatMinor(order.refunded_minor, order.order_currency)}</OrderFact>
        )}
        <OrderFact name={t('order.number')}>
          <OrderNumber of={order.trade_no} />
        </OrderFact>
      </OrderFacts>
    </>
  );
}

/** How long after the payment the balance is shown as its result: later it has been used. */
const freshSeconds = 900;

function BeforeAndNow({ order: { balance, quota, paid_at: at, refunded_quota: refunded } }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('topup');
  const now = useNow(30);
  if (refunded > 0 || now - at > freshSeconds || balance < quota) return null;
  return (
    <div className="mb-4 grid grid-cols-[1fr_auto_1fr] items-center gap-2 rounded-card border border-line px-4 py-3 text-center">
      <div>
        <p className="text-12 text-text2">{t('order.before')}</p>
        <Money credits={balance - quota} className="text-18 text-text2" />
      </div>
      <Icon of={ChevronRight} className="text-text3" />
      <div>
        <p className="text-12 text-text2">{t('order.balanceNow')}</p>
        <Money credits={balance} className="text-18 font-title" />
      </div>
    </div>
  );
}

interface FooterProps {
  order: OwnOrderDetail;
  main: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

export function OrderPaidFooter({ order, main, onClose }: FooterProps) {
  const { t } = useTranslation('topup');
  return (
    <>
      {order.receipt_no !== '' && (
        <Button
          icon={Printer}
          render={<Link to="/panel/topup/receipt" search={{ order: order.trade_no }} />}
          className="mr-auto"
        >
          {t('order.receipt')}
        </Button>
      )}
      <Button ref={main} variant="primary" saves={false} onClick={onClose}>
        {t('order.done')}
      </Button>
    </>
  );
}
