import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { ordersQuery, type OrdersSearch } from '#screens/panel/topup/topup-api.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card } from '#ui/basic/card.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { OrderStatusText } from './order-status.tsx';

/** The newest unpaid order, above the form where the list of orders is far below. */
export function WaitingStrip({ search }: { search: OrdersSearch }) {
  const { t } = useTranslation('topup');
  const now = useNow(10);
  const { data } = useQuery(ordersQuery(search));
  const order = data?.data.find(({ status, expires_at: expires }) => status === 'pending' && expires > now);
  if (!order) return null;
  return (
    <Card className="mb-2 flex items-center gap-3 px-3.5 py-2.5">
      <GatewayTile name={order.gateway_name} type={order.gateway_type} icon={order.gateway_icon} />
      <span className="min-w-0 flex-1">
        <span className="block tabular-nums">{formatMinor(order.order_minor, order.order_currency)}</span>
        <OrderStatusText order={order} />
      </span>
      <Button
        render={
          <Link
            to="/panel/topup"
            search={(current) => ({ ...current, order: order.trade_no, cancelled: '' })}
            resetScroll={false}
          />
        }
      >
        {t('orders.resume')}
      </Button>
    </Card>
  );
}
