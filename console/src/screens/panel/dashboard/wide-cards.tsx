import { analyticsApi } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { apiQuery } from '#api/api-query.ts';
import { ChannelTile } from '#domain/channel/channel-tile.tsx';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { localTimeZone } from '#ui/format/local-time-zone.ts';
import { Money } from '#ui/format/money.tsx';
import { fewCalls, formatQuantile } from '#ui/format/number.ts';
import { channelsQuery, every, inPlace } from './dashboard-api.ts';

/** Cards about the whole site, which only wide screens show and fetch. */

const most = 6;
const week = () => ({ days: 7, time_zone: localTimeZone() });
const often = { ...inPlace, ...every(60_000), staleTime: 30_000 };

const usersQuery = () => ({
  ...apiQuery(analyticsApi.usage, { query: { ...week(), by: 'user', top: 1 } }),
  ...often,
});
const speedQuery = () => ({ ...apiQuery(analyticsApi.quality, { query: { ...week(), by: 'channel' } }), ...often });

/** The users who spent most. */
export function SpendersCard() {
  const { t } = useTranslation('dashboard');
  const query = useQuery(usersQuery());
  const groups = query.data?.groups.filter(({ quota }) => quota > 0).slice(0, most);
  const largest = groups?.[0]?.quota ?? 0;
  return (
    <Ranking id="dashboard-spenders" title={t('topUsers')} note={t('inWeek')} query={query} rows={groups}>
      {({ id, name, quota }) => (
        <>
          <div className="flex items-center gap-3">
            {/* Deleted users have no name to filter by. */}
            {name === '' ? (
              <span className="min-w-0 flex-1 text-text2">#{id}</span>
            ) : (
              <Link
                to="/panel/analytics"
                search={{ username: name }}
                className="min-w-0 flex-1 hover:text-accent hover:underline"
              >
                <MiddleCut text={name} />
              </Link>
            )}
            <Money credits={quota} />
          </div>
          <span aria-hidden className="mt-1.5 block h-1 overflow-hidden rounded-full bg-fill">
            <span
              className="block h-1 rounded-full bg-series-1"
              style={{ width: `${Math.max(1, (quota / largest) * 100)}%` }}
            />
          </span>
        </>
      )}
    </Ranking>
  );
}

/** The channels with the latest first tokens. */
export function SlowestCard() {
  const { t } = useTranslation('dashboard');
  const query = useQuery(speedQuery());
  const { data: channels } = useQuery(channelsQuery);
  const groups = query.data?.groups
    .flatMap(({ id, name, first_token: { calls, p50, p95 } }) =>
      calls < fewCalls || p50 === null || p95 === null ? [] : [{ id, name: name || `#${id}`, p50, p95 }],
    )
    .toSorted((one, other) => other.p50 - one.p50 || other.p95 - one.p95)
    .slice(0, most);
  return (
    <Ranking id="dashboard-slowest" title={t('slowestChannels')} note={t('firstTokenNote')} query={query} rows={groups}>
      {({ id, name, p50, p95 }) => (
        <div className="flex min-h-6 items-center gap-2">
          <ChannelTile type={channels?.find((each) => String(each.id) === id)?.type} name={name} size={20} />
          <span className="min-w-0 flex-1">
            <MiddleCut text={name} />
          </span>
          <span className="tabular-nums">{formatQuantile(p50)}</span>
          <span className="w-12 text-right text-text2 tabular-nums">{formatQuantile(p95)}</span>
        </div>
      )}
    </Ranking>
  );
}

interface RankingProps<Row> {
  id: string;
  title: string;
  note: string;
  query: Pick<UseQueryResult, 'error' | 'data' | 'isFetching' | 'refetch'>;
  /** Undefined while loading. */
  rows: readonly Row[] | undefined;
  children: (row: Row) => ReactNode;
}

function Ranking<Row extends { id: string }>({ id, title, note, query, rows, children }: RankingProps<Row>) {
  const { t } = useTranslation('dashboard');
  const { error, data, isFetching, refetch } = query;
  return (
    <Card aria-labelledby={id} className="flex min-w-0 flex-col">
      <CardHead id={id} title={title} aside={<span className="text-12 text-text2">{note}</span>} />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : rows?.length === 0 ? (
        <p className="px-4 pt-1 pb-5 text-13 text-text2">{t('rankingEmpty')}</p>
      ) : (
        <ol className="px-4 pb-3 text-13">
          {rows
            ? rows.map((row) => (
                <li key={row.id} className="py-1.5">
                  {children(row)}
                </li>
              ))
            : ['72%', '54%', '63%', '48%', '58%'].map((width) => (
                <li key={width} className="flex h-9 items-center">
                  <Skeleton width={width} />
                </li>
              ))}
        </ol>
      )}
    </Card>
  );
}
