import type { Log } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { useTokenName } from '#domain/token/use-token-name.ts';
import { ModelName } from '#domain/model/model-name.tsx';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { useMedia } from '#ui/basic/use-media.ts';
import { CallResult, CallTime, durationOf } from './call-result.tsx';
import { useScope } from './scope.ts';
import { useOwnerOf } from './use-owner-of.ts';

export function useRecentColumns(): Column<Log>[] {
  const roomy = useMedia('(width >= 1400px)');
  const { t } = useTranslation('dashboard');
  const ownerOf = useOwnerOf();
  const tokenName = useTokenName();
  const hub = useScope() === 'hub';
  return useMemo(() => {
    const columns: Column<Log>[] = [
      { id: 'created_at', head: t('time'), width: 92, cell: (row) => <CallTime row={row} /> },
      {
        id: 'model_name',
        head: t('model'),
        cell: (row) => <ModelName model={row.model_name} {...ownerOf(row.model_name)} />,
        overflow: true,
      },
      ...(hub
        ? [{ id: 'username', head: t('user'), width: 100, cell: (row: Log) => <MiddleCut text={row.username} /> }]
        : []),
      {
        id: 'token_name',
        head: t('token'),
        width: hub ? 100 : 150,
        cell: (row) => <MiddleCut text={tokenName(row.token_name)} className="text-text2" />,
      },
      { id: 'result', head: t('result'), width: 118, cell: (row) => <CallResult row={row} /> },
      {
        id: 'request_time',
        head: t('duration'),
        align: 'right',
        width: 84,
        cell: (row) => <span className="text-text2">{durationOf(row)}</span>,
      },
      { id: 'quota', head: t('cost'), align: 'right', width: 104, cell: (row) => <Money credits={row.quota} fixed /> },
    ];
    return roomy ? columns : columns.filter(({ id }) => id !== 'token_name');
  }, [t, ownerOf, tokenName, roomy, hub]);
}
