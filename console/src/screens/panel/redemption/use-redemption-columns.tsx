import type { Redemption } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { PlanName, RedemptionCode, RedemptionName, RedemptionStatus } from './redemption-cells.tsx';

const none = '—';

export function useRedemptionColumns(): readonly Column<Redemption>[] {
  const { t } = useTranslation('redemption');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('name'),
        sortable: true,
        hideable: false,
        phone: 'title',
        phoneCell: ({ id, name, plan_id: planId }) => (
          <>
            {name}{' '}
            <span className="text-13 text-text3 tabular-nums">
              #{id}
              {planId !== null && <PlanName id={planId} />}
            </span>
          </>
        ),
        cell: (row) => <RedemptionName row={row} />,
      },
      {
        id: 'key',
        head: t('code'),
        width: 206,
        overflow: true,
        phone: 'foot',
        cell: (row) => <RedemptionCode row={row} />,
      },
      {
        id: 'quota',
        head: t('quota'),
        width: 88,
        align: 'right',
        sortable: true,
        descFirst: true,
        phone: 'value',
        cell: (row) => <Money credits={row.quota} />,
      },
      {
        id: 'status',
        head: t('status'),
        width: 118,
        sortable: true,
        phone: 'line',
        cell: (row) => <RedemptionStatus row={row} />,
      },
      {
        id: 'redeemed_username',
        head: t('redeemedBy'),
        width: 110,
        phone: 'aside',
        phoneCell: ({ redeemed_username: name, created_time: at }) => (
          <span className="block truncate">{name ? t('by', { name }) : <Time at={at} as="relative" />}</span>
        ),
        cell: (row) => row.redeemed_username || <span className="text-text3">{none}</span>,
      },
      {
        id: 'created_time',
        head: t('created'),
        width: 146,
        sortable: true,
        descFirst: true,
        cell: (row) => <Time at={row.created_time} className="text-text2" />,
      },
      {
        id: 'redeemed_time',
        head: t('redeemed'),
        width: 146,
        sortable: true,
        descFirst: true,
        cell: (row) => <Time at={row.redeemed_time} none={none} className="text-text2" />,
      },
      {
        id: 'expired_time',
        head: t('expires'),
        width: 146,
        sortable: true,
        hidden: true,
        cell: (row) => <Time at={row.expired_time} none={t('neverExpires')} className="text-text2" />,
      },
      { id: 'username', head: t('createdBy'), width: 132, hidden: true, cell: (row) => row.username },
    ],
    [t],
  );
}
