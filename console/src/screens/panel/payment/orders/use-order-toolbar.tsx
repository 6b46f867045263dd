import { orderAttentions, orderStatuses, type OrderTotals, type PaymentGateway } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { filterToolbar } from '#list/list-filters.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { FilterDef } from '#ui/table/filter.ts';
import type { ToolbarProps } from '#ui/table/toolbar.tsx';
import { countOrders } from '#screens/panel/payment/payment-api.ts';
import { noOrderFilters, type OrderFilter } from '#screens/panel/payment/payment-search.ts';
import { AttentionButton } from './attention-button.tsx';
import { OrderReceived } from './order-sums.tsx';
import { StraysButton } from './strays-button.tsx';

interface Options {
  filter: OrderFilter;
  gateways: readonly PaymentGateway[];
  totals: OrderTotals | undefined;
  onChange: (filter: OrderFilter) => void;
}

export function useOrderToolbar({ filter, gateways, totals, onChange }: Options): ToolbarProps {
  const { t } = useTranslation('payment');
  const phone = useIsPhone();
  const filters = useMemo(
    (): FilterDef[] => [
      { kind: 'range', id: 'time', label: t('time'), pinned: true },
      {
        kind: 'options',
        id: 'status',
        label: t('status'),
        pinned: true,
        options: orderStatuses.map((value) => ({ value, label: t(`states.${value}`) })),
      },
      {
        kind: 'options',
        id: 'gateway_id',
        label: t('method'),
        pinned: true,
        options: gateways.map(({ id, name }) => ({ value: id, label: name })),
      },
      {
        kind: 'options',
        id: 'attention',
        label: t('attention'),
        options: [
          { value: 'any', label: t('attentionAny') },
          ...orderAttentions
            .filter((value) => value !== 'none')
            .map((value) => ({ value, label: t(`attentions.${value}`) })),
        ],
      },
    ],
    [t, gateways],
  );
  return {
    ...filterToolbar({
      none: noOrderFilters,
      search: filter,
      field: 'keyword',
      placeholder: t('search'),
      filters,
      onChange,
      count: countOrders,
    }),
    children: phone && (
      <>
        <AttentionButton filter={filter} onChange={onChange} />
        <StraysButton />
      </>
    ),
    aside: totals && totals.count > 0 && <OrderReceived totals={totals} filter={filter} />,
  };
}
