import type { OwnOrderDetail } from '@relay-hub/contract';
import type { RefObject } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { Button } from '#ui/basic/button.tsx';
import { formatDateTime } from '#ui/format/time.ts';
import { endOf } from './order-end.ts';
import { OrderFact, OrderFacts, OrderNumber } from './order-facts.tsx';
import { useOrderActions } from './use-order-actions.ts';

/** An order that was not paid, and what to do. */
export function OrderEnded({ order }: { order: OwnOrderDetail }) {
  const { t } = useTranslation('topup');
  return (
    <>
      <p className="mb-4 text-text2">{t(`order.${endOf(order)}Text`, { gateway: order.gateway_name })}</p>
      <OrderFacts>
        <OrderFact name={t('order.sum')}>{formatMinor(order.order_minor, order.order_currency)}</OrderFact>
        <OrderFact name={t('order.created')}>{formatDateTime(order.created_at)}</OrderFact>
        <OrderFact name={t('order.number')}>
          <OrderNumber of={order.trade_no} />
        </OrderFact>
      </OrderFacts>
    </>
  );
}

interface FooterProps {
  order: OwnOrderDetail;
  main: RefObject<HTMLButtonElement | null>;
  onClose: () => void;
}

export function OrderEndedFooter({ order, main, onClose }: FooterProps) {
  const { t } = useTranslation('topup');
  const { check, checking, checkedAt } = useOrderActions(order.trade_no);
  return (
    <>
      <p role="status" className="mr-auto min-w-0 flex-1 text-12 text-text2">
        {checkedAt !== undefined && t('order.notFound')}
      </p>
      {order.status !== 'failed' && (
        <Button variant="ghost" busy={checking} saves onClick={check}>
          {t('order.havePaid')}
        </Button>
      )}
      <Button ref={main} variant="primary" saves={false} onClick={onClose}>
        {t('order.again')}
      </Button>
    </>
  );
}
