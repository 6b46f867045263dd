import type { Order } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { formatMinor } from '#domain/payment/minor-money.ts';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import {
  amountOf,
  OrderCredit,
  OrderDiscount,
  OrderFee,
  OrderGateway,
  OrderNumbers,
  OrderPaid,
  OrderTime,
} from './order-cells.tsx';
import { OrderStatus } from './order-status.tsx';

const right = { align: 'right' } as const;

export function useOrderColumns(): readonly Column<Order>[] {
  const { t } = useTranslation('payment');
  return useMemo(
    () => [
      {
        id: 'created_at',
        head: t('time'),
        width: 122,
        sortable: true,
        descFirst: true,
        hideable: false,
        phone: 'aside',
        phoneCell: ({ created_at: at }) => <Time at={at} as="relative" />,
        cell: (order) => <OrderTime order={order} />,
      },
      { id: 'number', head: t('number'), width: 150, cell: (order) => <OrderNumbers order={order} /> },
      {
        id: 'user_id',
        head: t('user'),
        least: 104,
        sortable: true,
        phone: 'title',
        cell: ({ username }) => <span className="block truncate">{username}</span>,
      },
      {
        id: 'gateway_id',
        head: t('method'),
        width: 112,
        sortable: true,
        phone: 'foot',
        cell: (order) => <OrderGateway order={order} />,
      },
      { id: 'amount', head: t('amount'), width: 76, ...right, cell: amountOf },
      {
        id: 'discount',
        head: t('discount'),
        width: 68,
        ...right,
        cell: (order) => <OrderDiscount order={order} />,
      },
      { id: 'fee', head: t('fee'), width: 64, ...right, cell: (order) => <OrderFee order={order} /> },
      {
        id: 'order_minor',
        head: t('paid'),
        width: 104,
        sortable: true,
        descFirst: true,
        ...right,
        phone: 'value',
        phoneCell: (order) => formatMinor(order.order_minor, order.order_currency),
        cell: (order) => <OrderPaid order={order} />,
      },
      {
        id: 'quota',
        head: t('credit'),
        width: 80,
        sortable: true,
        descFirst: true,
        ...right,
        cell: (order) => <OrderCredit order={order} />,
      },
      {
        id: 'status',
        head: t('status'),
        width: 140,
        sortable: true,
        phone: 'line',
        cell: (order) => <OrderStatus order={order} />,
      },
    ],
    [t],
  );
}
