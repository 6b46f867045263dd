import type { OwnOrder } from '@relay-hub/contract';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { fewOrders } from '#screens/panel/topup/topup-api.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { Time } from '#ui/format/time.tsx';
import { OrderActions } from './order-row-actions.tsx';
import { OrderStatusText } from './order-status.tsx';
import { GatewayName } from './use-order-columns.tsx';

interface Props {
  /** Undefined while loading. */
  rows: readonly OwnOrder[] | undefined;
}

const line = 'flex min-h-14.5 flex-col justify-center gap-1 border-t border-line px-4 py-2.5';

/** Orders on phones. */
export function OrderList({ rows }: Props) {
  return (
    <ul>
      {rows?.map((row) => (
        <li key={row.id} className={line}>
          <span className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              <GatewayName row={row} />
            </span>
            <span className="font-title tabular-nums">{formatMinor(row.order_minor, row.order_currency)}</span>
          </span>
          <span className="flex items-center gap-3 text-12 text-text2">
            <span className="min-w-0 flex-1">
              <OrderStatusText order={row} />
            </span>
            <Time at={row.created_at} />
          </span>
          <span className="flex justify-end pt-1 empty:hidden">
            <OrderActions order={row} />
          </span>
        </li>
      ))}
      {!rows &&
        Array.from({ length: fewOrders }, (_, index) => (
          <li key={index} className={line}>
            <Skeleton width="60%" />
          </li>
        ))}
    </ul>
  );
}
