import type { Inviter } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Money } from '#ui/format/money.tsx';
import { formatWhole } from '#ui/format/number.ts';
import { Time } from '#ui/format/time.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { InviterName, InviterSigns } from './inviter-cells.tsx';

export function useInviterColumns(): readonly Column<Inviter>[] {
  const { t } = useTranslation('inviter');
  return useMemo(() => {
    const number = { width: 100, align: 'right', sortable: true, descFirst: true } as const;
    return [
      {
        id: 'username',
        head: t('inviter'),
        sortable: true,
        hideable: false,
        cell: (inviter) => <InviterName inviter={inviter} />,
      },
      { id: 'invited', head: t('invited'), ...number, cell: ({ invited }) => formatWhole(invited) },
      { id: 'rewarded', head: t('rewarded'), ...number, cell: ({ rewarded }) => formatWhole(rewarded) },
      { id: 'earned', head: t('earned'), ...number, cell: ({ earned }) => <Money credits={earned} /> },
      {
        id: 'same_address',
        head: t('sameAddress'),
        ...number,
        width: 124,
        cell: ({ same_address: count }) => formatWhole(count),
      },
      { id: 'same_day', head: t('sameDay'), ...number, width: 112, cell: ({ same_day: count }) => formatWhole(count) },
      { id: 'signs', head: t('signs'), width: 244, cell: (inviter) => <InviterSigns inviter={inviter} /> },
      {
        id: 'last_time',
        head: t('last'),
        width: 120,
        sortable: true,
        descFirst: true,
        cell: ({ last_time: at }) => <Time at={at} as="date" className="text-text2" />,
      },
    ];
  }, [t]);
}
