import { logType, type LedgerEntry } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useId, useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { LedgerKindName } from '#domain/ledger/ledger-kind.tsx';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { TableBody } from '#ui/table/table-body.tsx';
import type { Column } from '#ui/table/table-column.ts';
import { Time } from '#ui/format/time.tsx';
import { useEntryRemark } from '#domain/ledger/use-entry-remark.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import { recentCount, type recentQuery } from './topup-api.ts';

interface CreditsProps {
  query: typeof recentQuery;
  /** Payments are listed elsewhere: without other entries there is no card. */
  others: boolean;
}

/** The latest balance changes other than calls. */
export function RecentCredits({ query, others }: CreditsProps) {
  const { t } = useTranslation('topup');
  const phone = useIsPhone();
  const { data, error, isFetching, refetch } = useQuery(query);
  const id = useId();
  if (others && !data?.data.length) return null;
  const title = t(others ? 'others' : 'recent');
  return (
    <Card aria-labelledby={id} className="mt-4 min-w-0 overflow-clip max-sm:mt-2">
      <CardHead id={id} title={title}>
        <Link
          to="/panel/log"
          search={{ log_type: logType.topup }}
          className="touch text-13 text-accent hover:underline"
        >
          {t('all')}
        </Link>
      </CardHead>
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <p className="border-t border-line px-4 py-6 text-center text-13 text-text2">{t('none')}</p>
      ) : phone ? (
        <List rows={data?.data} />
      ) : (
        <Table label={title} rows={data?.data} />
      )}
    </Card>
  );
}

interface Props {
  /** Undefined while loading. */
  rows: readonly LedgerEntry[] | undefined;
}

const idOf = ({ id }: LedgerEntry) => id;
const nameOf = ({ reference }: LedgerEntry) => reference;

/** Exact: these rows have no detail view, and a tooltip is not available to all. */
const Amount = ({ row: { credits }, className = '' }: { row: LedgerEntry; className?: string }) => (
  <Money credits={credits} exact signed className={credits > 0 ? `text-ok ${className}` : className} />
);

const Remark = ({ row }: { row: LedgerEntry }) => <span className="text-text2">{useEntryRemark(row)}</span>;

function Table({ label, rows }: Props & { label: string }) {
  const { t } = useTranslation('topup');
  const columns = useMemo(
    (): Column<LedgerEntry>[] => [
      { id: 'time', head: t('time'), width: 168, cell: (row) => <Time at={row.created_time} className="text-text2" /> },
      { id: 'kind', head: t('kind'), width: 152, cell: ({ kind }) => <LedgerKindName kind={kind} /> },
      { id: 'remark', head: t('remark'), cell: (row) => <Remark row={row} /> },
      { id: 'credits', head: t('amount'), align: 'right', width: 132, cell: (row) => <Amount row={row} /> },
      {
        id: 'after',
        head: t('after'),
        align: 'right',
        width: 140,
        cell: (row) => <Money credits={row.balance_after} exact className="text-text2" />,
      },
    ],
    [t],
  );
  return (
    <TableBody
      label={label}
      columns={columns}
      rows={rows}
      keyOf={idOf}
      nameOf={nameOf}
      compact
      order=""
      onOrder={() => undefined}
      actionsWidth={0}
      busy={false}
      skeletonRows={recentCount}
      nothing={null}
    />
  );
}

function List({ rows }: Props) {
  const line = 'flex min-h-14.5 flex-col justify-center gap-1 border-t border-line px-4 py-2';
  return (
    <ul>
      {rows?.map((row) => (
        <li key={row.id} className={line}>
          <span className="flex items-center gap-3">
            <span className="min-w-0 flex-1">
              <LedgerKindName kind={row.kind} />
            </span>
            <Amount row={row} className="font-title" />
          </span>
          <span className="flex gap-3 text-12 text-text2">
            <Time at={row.created_time} />
            <span className="ml-auto min-w-0 truncate">
              <Remark row={row} />
            </span>
          </span>
        </li>
      ))}
      {!rows &&
        Array.from({ length: recentCount }, (_, index) => (
          <li key={index} className={line}>
            <Skeleton width="60%" />
          </li>
        ))}
    </ul>
  );
}
