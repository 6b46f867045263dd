import type { LedgerEntry } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { LedgerKindName } from '#domain/ledger/ledger-kind.tsx';
import { Money } from '#ui/format/money.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { useMedia } from '#ui/basic/use-media.ts';
import { EntryAbout, EntryActor, EntryAmount } from './ledger-cells.tsx';

/** Administrators also see who acted, and the user among all users' entries. */
export function useLedgerColumns(admin: boolean, everybody: boolean): Column<LedgerEntry>[] {
  const { t } = useTranslation('ledger');
  const tight = useMedia('(width < 1200px)');
  return useMemo(
    () => [
      {
        id: 'created_time',
        head: t('time'),
        width: 168,
        sortable: true,
        descFirst: true,
        hideable: false,
        phone: 'foot',
        phoneCell: (row) => <Time at={row.created_time} className="text-12 text-text3" />,
        cell: (row) => <Time at={row.created_time} className="text-text2" />,
      },
      ...(everybody ? [{ id: 'user', head: t('user'), width: 116, cell: (row: LedgerEntry) => row.username }] : []),
      {
        id: 'kind',
        head: t('kind'),
        width: 140,
        phone: 'title',
        phoneCell: ({ kind, username }) => (
          <span className="flex gap-2">
            <LedgerKindName kind={kind} />
            {everybody && <span className="truncate text-text2">{username}</span>}
          </span>
        ),
        cell: ({ kind }) => <LedgerKindName kind={kind} />,
      },
      { id: 'about', head: t('about'), hideable: false, phone: 'line', cell: (row) => <EntryAbout row={row} /> },
      { id: 'actor', head: t('actor'), width: 112, hidden: !admin || tight, cell: (row) => <EntryActor row={row} /> },
      {
        id: 'reference',
        head: t('reference'),
        width: 300,
        hidden: true,
        cell: (row) => <span className="font-mono text-12">{row.reference}</span>,
      },
      {
        id: 'credits',
        head: t('amount'),
        width: 132,
        align: 'right',
        hideable: false,
        phone: 'value',
        phoneCell: (row) => <EntryAmount row={row} fixed={row.kind === 'settle'} />,
        cell: (row) => <EntryAmount row={row} />,
      },
      {
        id: 'balance_after',
        head: t('after'),
        width: 144,
        align: 'right',
        phone: 'foot',
        phoneCell: (row) => (
          <span className="text-12 text-text3">
            {t('after')} <Money credits={row.balance_after} />
          </span>
        ),
        cell: (row) => <Money credits={row.balance_after} fixed className="text-text2" />,
      },
    ],
    [t, admin, everybody, tight],
  );
}
