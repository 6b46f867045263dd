import type { OrderDetail } from '@relay-hub/contract';
import { isPaid } from '@relay-hub/contract';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { minus } from '#ui/format/number.ts';
import { amountOf, discountShare, feeShare } from '#screens/panel/payment/orders/order-cells.tsx';

/** Amount, discount, fee and the sum paid. */
export function OrderTiles({ order }: { order: OrderDetail }) {
  const { t } = useTranslation('paymentOrder');
  const { discount_minor: discount, fee_minor: fee, order_currency: currency, refunded_minor: refunded } = order;
  const paid = isPaid(order.status);
  const total = formatMinor(order.amount * 100 - discount + fee, 'USD');
  const sum =
    refunded > 0
      ? t('returned', { amount: formatMinor(refunded, currency) })
      : currency === 'USD'
        ? ''
        : t('converted', { total, rate: order.rate });
  return (
    <dl className="grid grid-cols-4 rounded-card border border-line max-sm:grid-cols-2 [&>*]:border-line [&>*+*]:border-l max-sm:[&>*:nth-child(3)]:border-l-0 max-sm:[&>*:nth-child(n+3)]:border-t">
      <Tile name={t('amount')} note={t(paid ? 'credited' : 'notCredited')}>
        {amountOf(order)}
      </Tile>
      <Tile name={t('discount')} note={discount > 0 ? discountShare(order) : t('none')}>
        {discount > 0 ? minus : ''}
        {formatMinor(discount, 'USD')}
      </Tile>
      <Tile
        name={t('fee')}
        note={fee > 0 ? t('feeOf', { share: feeShare(order), gateway: order.gateway_name }) : t('none')}
      >
        {fee > 0 ? '+' : ''}
        {formatMinor(fee, 'USD')}
      </Tile>
      <Tile name={t(paid ? 'paid' : 'toPay')} note={sum}>
        {formatMinor(order.order_minor, currency)}
      </Tile>
    </dl>
  );
}

function Tile({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="min-w-0 px-3.5 py-2.5 tabular-nums">
      <dt className="text-12 text-text2">{name}</dt>
      <dd className="truncate text-16 font-title">{children}</dd>
      <dd className="min-h-4 truncate text-12 text-text2">{note}</dd>
    </div>
  );
}
