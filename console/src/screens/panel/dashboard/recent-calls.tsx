import type { Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Button } from '#ui/basic/button.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { LiveDot } from '#ui/feedback/live-dot.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { TableBody } from '#ui/table/table-body.tsx';
import { useIsNarrow, useMedia } from '#ui/basic/use-media.ts';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { useTokenName } from '#domain/token/use-token-name.ts';
import type { Column } from '#ui/table/table-column.ts';
import { useOwners } from '#api/owners.ts';
import { formatFixed } from '#ui/format/number.ts';
import { Status } from '#ui/feedback/status.tsx';
import { formatDate } from '#ui/format/time.ts';
import { Time } from '#ui/format/time.tsx';
import { useNow } from '#ui/format/use-now.ts';
import { availableQuery, recentCount, recentQuery } from './dashboard-api.ts';
import { useScope } from './scope.ts';

/** Outcome of a call; a failed one with the HTTP status that its caller got. */
function CallResult({ row: { metadata } }: { row: Log }) {
  const kind = metadata?.outcome ?? 'answered';
  return <Status kind={kind} {...(kind === 'failed' && metadata?.status && { note: metadata.status })} />;
}

/** The time of a call made today, the date of an older one; the tooltip has both. */
function CallTime({ row: { created_at: at } }: { row: Log }) {
  const today = formatDate(useNow(60));
  return <Time at={at} as={formatDate(at) === today ? 'time' : 'date'} className="text-text2" />;
}

/** Duration of a call, from first byte to last. */
const durationOf = ({ request_time: ms }: Log): string =>
  ms < 10 ? '<0.01 s' : `${formatFixed(ms / 1000, ms < 10_000 ? 2 : 1)} s`;

/** The newest calls of the chosen scope; updates itself. */
export function RecentCalls() {
  const { t } = useTranslation('dashboard');
  const narrow = useIsNarrow();
  const { data, error, isFetching, refetch } = useQuery(recentQuery(useScope()));
  const high = useMedia('(height >= 1100px)');
  const count = high && !narrow ? recentCount : 5;
  const rows = data?.data.slice(0, count);
  return (
    <Card aria-labelledby="dashboard-recent" className="flex min-h-68 min-w-0 flex-col overflow-clip">
      <CardHead id="dashboard-recent" title={t('recent')} aside={<LiveDot on={!error} />}>
        <Link to="/panel/log" className="touch text-13 text-accent hover:underline">
          {t('viewLog')}
        </Link>
      </CardHead>
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : data?.data.length === 0 ? (
        <EmptyState
          icon={ScrollText}
          title={t('noRecent')}
          text={t('noRecentText')}
          action={<Button render={<Link to="/panel/playground" />}>{t('firstCall')}</Button>}
        />
      ) : narrow ? (
        <List rows={rows} count={count} />
      ) : (
        <Table rows={rows} count={count} />
      )}
    </Card>
  );
}

interface Props {
  /** Undefined while loading. */
  rows: readonly Log[] | undefined;
  /** Rows to leave room for while loading. */
  count: number;
}

const idOf = ({ id }: Log) => id;
const nameOf = ({ model_name: model }: Log) => model;

function Table({ rows, count }: Props) {
  const { t } = useTranslation('dashboard');
  const navigate = useNavigate();
  return (
    <TableBody
      label={t('recent')}
      columns={useRecentColumns()}
      rows={rows}
      keyOf={idOf}
      nameOf={nameOf}
      compact
      order=""
      onOrder={() => undefined}
      open={({ id }) => void navigate({ to: '/panel/log', search: { id } })}
      actionsWidth={0}
      busy={false}
      skeletonRows={count}
      nothing={null}
    />
  );
}

function List({ rows, count }: Props) {
  const ownerOf = useOwnerOf();
  const hub = useScope() === 'hub';
  return (
    <ul>
      {rows?.map((row) => (
        <li key={row.id}>
          <Link
            to="/panel/log"
            search={{ id: row.id }}
            className="flex h-14.5 flex-col justify-center gap-1 border-t border-line px-4"
          >
            <span className="flex items-center gap-3">
              <span className="min-w-0 flex-1">
                <ModelName model={row.model_name} {...ownerOf(row.model_name)} copies={false} />
              </span>
              <Money credits={row.quota} exact className="font-title" />
            </span>
            <span className="flex items-center gap-2 text-12 text-text2 tabular-nums">
              <CallTime row={row} />
              <CallResult row={row} />
              {hub && <span className="min-w-0 truncate">{row.username}</span>}
              <span className="ml-auto">{durationOf(row)}</span>
            </span>
          </Link>
        </li>
      ))}
      {!rows &&
        Array.from({ length: count }, (_, index) => (
          <li key={index} className="flex h-14.5 flex-col justify-center gap-3 border-t border-line px-4">
            <Skeleton width="60%" />
            <Skeleton width="45%" />
          </li>
        ))}
    </ul>
  );
}

function useRecentColumns(): Column<Log>[] {
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

/** Finds name and icon of a model's owner; empty for models no longer available. */
function useOwnerOf(): (model: string) => { owner?: string; icon?: string | undefined } {
  const owners = useOwners();
  const { data: available } = useQuery(availableQuery);
  return useMemo(() => {
    const icons = new Map(owners.map(({ name, icon }) => [name, icon]));
    return (model) => {
      const owner = available?.[model]?.owned_by;
      return owner === undefined ? {} : { owner, icon: icons.get(owner) };
    };
  }, [owners, available]);
}
