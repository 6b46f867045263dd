import type { Token } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { TightestLimit } from './limits/tightest-limit.tsx';
import { TokenExpiry, TokenGroup, TokenKey, TokenLastUse, TokenName, TokenQuota, TokenStatus } from './token-cells.tsx';

export function useTokenColumns(): readonly Column<Token>[] {
  const { t } = useTranslation('token');
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('name'),
        least: 240,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: (token) => <TokenName token={token} />,
      },
      {
        id: 'key',
        head: t('key'),
        width: 178,
        overflow: true,
        phone: 'foot',
        cell: (token) => <TokenKey token={token} />,
      },
      {
        id: 'status',
        head: t('status'),
        width: 124,
        sortable: true,
        phone: 'line',
        cell: (token) => <TokenStatus token={token} />,
      },
      {
        id: 'limits',
        head: t('tightestLimit'),
        width: 194,
        phone: 'line',
        cell: (token) => <TightestLimit token={token} />,
      },
      {
        id: 'group',
        head: t('group'),
        width: 124,
        hidden: true,
        phone: 'line',
        cell: (token) => <TokenGroup token={token} />,
      },
      {
        id: 'used_quota',
        head: t('usage'),
        width: 132,
        align: 'right',
        sortable: true,
        descFirst: true,
        phone: 'aside',
        cell: (token) => <TokenQuota token={token} />,
      },
      {
        id: 'expired_time',
        head: t('expires'),
        width: 100,
        hidden: true,
        sortable: true,
        cell: (token) => <TokenExpiry token={token} />,
      },
      {
        id: 'accessed_time',
        head: t('lastUsed'),
        width: 94,
        sortable: true,
        descFirst: true,
        phone: 'foot',
        phoneCell: (token) => (token.accessed_time > 0 ? <TokenLastUse token={token} /> : t('unused')),
        cell: (token) => <TokenLastUse token={token} />,
      },
      {
        id: 'created_time',
        head: t('created'),
        width: 160,
        sortable: true,
        descFirst: true,
        hidden: true,
        cell: (token) => <Time at={token.created_time} className="text-text2" />,
      },
    ],
    [t],
  );
}
