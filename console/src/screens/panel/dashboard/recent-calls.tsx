import type { Log } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { LiveDot } from '#ui/feedback/live-dot.tsx';
import { ModelName } from '#domain/model/model-name.tsx';
import { Money } from '#ui/format/money.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { TableBody } from '#ui/table/table-body.tsx';
import { useIsNarrow } from '#ui/basic/use-media.ts';
import { CallResult, CallTime, durationOf } from './call-result.tsx';
import { recentCount, recentQuery } from './dashboard-api.ts';
import { useScope } from './scope.ts';
import { useOwnerOf } from './use-owner-of.ts';
import { useRecentColumns } from './use-recent-columns.tsx';

/** The newest calls of the chosen scope; updates itself. */
export function RecentCalls() {
  const { t } = useTranslation('dashboard');
  const narrow = useIsNarrow();
  const { data, error, isFetching, refetch } = useQuery(recentQuery(useScope()));
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
        <EmptyState icon={ScrollText} title={t('noRecent')} text={t('noRecentText')} />
      ) : narrow ? (
        <List rows={data?.data} />
      ) : (
        <Table rows={data?.data} />
      )}
    </Card>
  );
}

interface Props {
  /** Undefined while loading. */
  rows: readonly Log[] | undefined;
}

const idOf = ({ id }: Log) => id;
const nameOf = ({ model_name: model }: Log) => model;

function Table({ rows }: Props) {
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
      skeletonRows={recentCount}
      nothing={null}
    />
  );
}

function List({ rows }: Props) {
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
        Array.from({ length: recentCount }, (_, index) => (
          <li key={index} className="flex h-14.5 flex-col justify-center gap-3 border-t border-line px-4">
            <Skeleton width="60%" />
            <Skeleton width="45%" />
          </li>
        ))}
    </ul>
  );
}
