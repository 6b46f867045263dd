import type { Order } from '@relay-hub/contract';
import { isPaid } from '@relay-hub/contract';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { cx } from '#ui/basic/cx.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, formatPercent, minus } from '#ui/format/number.ts';
import { useSiteFormat } from '#ui/format/site-format.ts';
import { formatDate, formatDateTime } from '#ui/format/time.ts';
import { useNow } from '#ui/format/use-now.ts';
import { Tooltip } from '#ui/overlay/tooltip.tsx';

interface Props {
  order: Order;
}

const second = 'block text-12/4 text-text2';

/** Month to second; the year is shown for other years only. */
export function OrderTime({ order: { created_at: at } }: Props) {
  const isThisYear = formatDate(at).slice(0, 4) === formatDate(useNow(3600)).slice(0, 4);
  const text = isThisYear ? formatDateTime(at).slice(5) : formatDateTime(at);
  return (
    <Tooltip text={isThisYear && formatDateTime(at)}>
      <time dateTime={new Date(at * 1000).toISOString()} className="text-text2 tabular-nums">
        {text}
      </time>
    </Tooltip>
  );
}

export function OrderNumbers({ order: { trade_no, gateway_no } }: Props) {
  const { t } = useTranslation('payment');
  return (
    <span className="grid min-w-0 font-mono text-12/4">
      <MiddleCut text={trade_no} tail={8} />
      {gateway_no === '' ? (
        <span className="text-text3">
          <span className="sr-only">{t('noNumber')}</span>
          <span aria-hidden>–</span>
        </span>
      ) : (
        <MiddleCut text={gateway_no} tail={6} className="text-text2" />
      )}
    </span>
  );
}

export function OrderGateway({ order }: Props) {
  return (
    <span className="flex min-w-0 items-center gap-2">
      <GatewayTile name={order.gateway_name} type={order.gateway_type} icon={order.gateway_icon} size={20} />
      <span className="truncate">{order.gateway_name}</span>
    </span>
  );
}

export const amountOf = ({ amount }: Pick<Order, 'amount'>): string => formatMinor(amount * 100, 'USD');

/** The discounted share of the amount. */
export const discountShare = ({ amount, discount_minor }: Pick<Order, 'amount' | 'discount_minor'>): string =>
  formatPercent(discount_minor / (amount * 100), 2);

/** The fee as a share of the discounted amount. */
export function feeShare({ amount, discount_minor, fee_minor }: Order): string {
  const net = amount * 100 - discount_minor;
  return net > 0 ? formatPercent(fee_minor / net, 2) : '';
}

export function OrderDiscount({ order }: Props) {
  const { t } = useTranslation('payment');
  if (order.discount_minor === 0) return <span className="text-text3">–</span>;
  return (
    <>
      <span className="block leading-4.5 text-ok">
        {minus}
        {formatMinor(order.discount_minor, 'USD')}
      </span>
      <span className={second}>{t('off', { share: discountShare(order) })}</span>
    </>
  );
}

export function OrderFee({ order }: Props) {
  if (order.fee_minor === 0) return <span className="text-text3">–</span>;
  return (
    <>
      <span className="block leading-4.5">+{formatMinor(order.fee_minor, 'USD')}</span>
      <span className={second}>{feeShare(order)}</span>
    </>
  );
}

export function OrderPaid({ order }: Props) {
  const { t } = useTranslation('payment');
  const { order_minor: minor, order_currency: currency, refunded_minor: refunded } = order;
  return (
    <>
      <span className={cx('block leading-4.5', isPaid(order.status) ? 'font-title' : 'text-text2')}>
        {formatMinor(minor, currency)}
      </span>
      {refunded > 0 && <span className={second}>{t('returned', { amount: formatMinor(refunded, currency) })}</span>}
    </>
  );
}

export function OrderCredit({ order: { quota, status } }: Props) {
  const { inCurrency } = useSiteFormat();
  const tone = isPaid(status) ? '' : 'text-text2';
  return (
    <>
      <Money credits={quota} className={cx('block leading-4.5', tone)} />
      {inCurrency && (
        <span aria-hidden className={second}>
          {abbreviate(quota)}
        </span>
      )}
    </>
  );
}
