import type { OwnedToken } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Column } from '#ui/table/table-column.ts';
import { TightestLimit } from '#screens/panel/token/limits/tightest-limit.tsx';
import { TokenExpiry, TokenLastUse, TokenName, TokenQuota, TokenStatus } from '../token-cells.tsx';

export function useAllColumns(): readonly Column<OwnedToken>[] {
  const { t } = useTranslation(['tokenAdmin', 'token']);
  return useMemo(
    () => [
      {
        id: 'name',
        head: t('token:name'),
        least: 240,
        sortable: true,
        hideable: false,
        phone: 'title',
        cell: (token) => <TokenName token={token} />,
      },
      {
        id: 'username',
        head: t('owner'),
        width: 130,
        phone: 'aside',
        cell: ({ username }) => <span className="block truncate">{username}</span>,
      },
      {
        id: 'key',
        head: t('token:key'),
        width: 120,
        phone: 'foot',
        cell: ({ key }) => <span className="font-mono text-13">{key}</span>,
      },
      {
        id: 'status',
        head: t('token:status'),
        width: 124,
        sortable: true,
        phone: 'line',
        cell: (token) => <TokenStatus token={token} />,
      },
      {
        id: 'limits',
        head: t('token:tightestLimit'),
        width: 194,
        phone: 'line',
        cell: (token) => <TightestLimit token={token} />,
      },
      {
        id: 'used_quota',
        head: t('token:usage'),
        width: 132,
        align: 'right',
        sortable: true,
        descFirst: true,
        cell: (token) => <TokenQuota token={token} />,
      },
      {
        id: 'expired_time',
        head: t('token:expires'),
        width: 100,
        hidden: true,
        sortable: true,
        cell: (token) => <TokenExpiry token={token} />,
      },
      {
        id: 'accessed_time',
        head: t('token:lastUsed'),
        width: 94,
        sortable: true,
        descFirst: true,
        phone: 'foot',
        cell: (token) => <TokenLastUse token={token} />,
      },
    ],
    [t],
  );
}
