import { isPaid, type OwnOrder } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { GatewayTile } from '#domain/payment/gateway-tile.tsx';
import { formatMinor } from '#domain/payment/minor-money.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Money } from '#ui/format/money.tsx';
import { Time } from '#ui/format/time.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { OrderStatusText } from './order-status.tsx';

/** Amounts of unpaid orders are quieter: no money has moved. */
const tone = ({ status }: OwnOrder) => (isPaid(status) ? '' : 'text-text3');

export function useOrderColumns(): readonly Column<OwnOrder>[] {
  const { t } = useTranslation('topup');
  return useMemo(
    (): Column<OwnOrder>[] => [
      { id: 'time', head: t('time'), width: 160, cell: (row) => <Time at={row.created_at} className="text-text2" /> },
      {
        id: 'order',
        head: t('orders.number'),
        width: 184,
        cell: (row) => (
          <span className="font-mono text-12 text-text2">
            <MiddleCut text={row.trade_no} tail={8} />
          </span>
        ),
      },
      { id: 'gateway', head: t('orders.gateway'), least: 110, cell: (row) => <GatewayName row={row} /> },
      { id: 'status', head: t('orders.status'), width: 236, cell: (row) => <OrderStatusText order={row} /> },
      {
        id: 'paid',
        head: t('orders.paid'),
        align: 'right',
        width: 112,
        cell: (row) => <span className={tone(row)}>{formatMinor(row.order_minor, row.order_currency)}</span>,
      },
      {
        id: 'credit',
        head: t('orders.credit'),
        align: 'right',
        width: 104,
        cell: (row) => <Money credits={row.quota} className={tone(row)} />,
      },
    ],
    [t],
  );
}

export function GatewayName({ row }: { row: OwnOrder }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-2 align-middle">
      <GatewayTile name={row.gateway_name} type={row.gateway_type} icon={row.gateway_icon} size={20} />
      <span className="truncate">{row.gateway_name}</span>
    </span>
  );
}
