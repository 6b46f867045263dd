import type { PaymentGateway } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Column } from '#ui/table/table-column.ts';
import {
  GatewayFee,
  GatewayHandle,
  GatewayName,
  GatewayNotice,
  GatewaySuccess,
  GatewaySwitch,
} from './gateway-cells.tsx';
import type { GatewayOrder } from './use-gateway-order.ts';

/** Without `order`, rows cannot be moved. */
export function useGatewayColumns(order: GatewayOrder | undefined): readonly Column<PaymentGateway>[] {
  const { t } = useTranslation('payment');
  const handle = order?.handle;
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('gateway'),
        least: 190,
        overflow: true,
        hideable: false,
        phone: 'title',
        phoneCell: (gateway) => <GatewayName gateway={gateway} />,
        cell: (gateway) => (
          <span className="flex min-w-0 items-center gap-1.5">
            {handle && <GatewayHandle gateway={gateway} {...handle(gateway)} />}
            <GatewayName gateway={gateway} />
          </span>
        ),
      },
      {
        id: 'type',
        head: t('type'),
        width: 130,
        phone: 'line',
        cell: ({ type }) => t(`types.${type}`),
      },
      {
        id: 'fee',
        head: t('fee'),
        width: 130,
        align: 'right',
        phone: 'line',
        cell: (gateway) => <GatewayFee gateway={gateway} />,
      },
      { id: 'currency', head: t('currency'), width: 92, phone: 'line', cell: ({ currency }) => currency },
      {
        id: 'notice',
        head: t('notice'),
        width: 180,
        phone: 'foot',
        phoneCell: (gateway) => (
          <span className="flex flex-wrap gap-x-2">
            <span>{t('notice')}</span>
            <GatewayNotice gateway={gateway} />
          </span>
        ),
        cell: (gateway) => <GatewayNotice gateway={gateway} />,
      },
      {
        id: 'success',
        head: t('success'),
        width: 136,
        align: 'right',
        phone: 'aside',
        cell: (gateway) => <GatewaySuccess gateway={gateway} />,
      },
      {
        id: 'enable',
        head: t('enabled'),
        width: 92,
        overflow: true,
        phone: 'value',
        cell: (gateway) => <GatewaySwitch gateway={gateway} />,
      },
    ],
    [t, handle],
  );
}
