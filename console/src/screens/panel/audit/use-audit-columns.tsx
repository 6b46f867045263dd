import type { AuditEntry } from '@relay-hub/contract';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { useMedia } from '#ui/basic/use-media.ts';
import { AuditAction, AuditObject, AuditResult } from './audit-cells.tsx';

export function useAuditColumns(): Column<AuditEntry>[] {
  const { t } = useTranslation('audit');
  const tight = useMedia('(width < 1200px)');
  return useMemo(
    () => [
      {
        id: 'created_time',
        head: t('time'),
        width: 176,
        hideable: false,
        phone: 'foot',
        phoneCell: (row) => <Time at={row.created_time} className="text-12 text-text3" />,
        cell: (row) => <Time at={row.created_time} className="text-text2" />,
      },
      {
        id: 'actor',
        head: t('actor'),
        width: 140,
        phone: 'foot',
        phoneCell: (row) => (
          <span className="block truncate text-12 text-text3">
            {row.actor_name} · {row.ip}
          </span>
        ),
        cell: (row) => <span className="truncate">{row.actor_name}</span>,
      },
      {
        id: 'action',
        head: t('action'),
        width: 240,
        hideable: false,
        phone: 'title',
        cell: (row) => <AuditAction row={row} />,
      },
      { id: 'object', head: t('object'), hideable: false, phone: 'line', cell: (row) => <AuditObject row={row} /> },
      {
        id: 'result',
        head: t('result'),
        width: 148,
        phone: 'value',
        phoneCell: (row) => (
          <span className="font-normal">
            <AuditResult row={row} />
          </span>
        ),
        cell: (row) => <AuditResult row={row} />,
      },
      {
        id: 'ip',
        head: t('ip'),
        width: 150,
        hidden: tight,
        cell: (row) => <span className="font-mono text-12 text-text2">{row.ip}</span>,
      },
      {
        id: 'path',
        head: t('path'),
        width: 260,
        hidden: true,
        cell: (row) => (
          <span className="font-mono text-12 text-text2">
            {row.method} {row.path}
          </span>
        ),
      },
    ],
    [t, tight],
  );
}
