import type { UsageGroup, UsageReport } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, formatPercent, formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { usageQuery, type Shown } from './analytics-api.ts';
import { isOfOne, logTimeOf } from './analytics-search.ts';
import { logFiltersOf } from './log-link.ts';
import { MarkedName } from './marked-name.tsx';
import { useGroupLabel } from './use-labels.ts';

type ListKey = 'model' | 'channel' | 'user' | 'token';
const most = 8;

/** The lists that add up to the total of what the page shows. */
function listsOf({ search, ofHub }: Shown): ListKey[] {
  if (!ofHub || search.username !== '') return ['model', 'token'];
  return isOfOne(search) ? ['model'] : ['model', 'channel', 'user'];
}

/** The most expensive models, channels, users and tokens. */
export function TopLists({ page }: { page: Shown }) {
  const lists = listsOf(page);
  return (
    <div
      className={cx(
        'grid grid-cols-1 gap-4 max-sm:gap-2',
        lists.length === 3 ? 'lg:grid-cols-3' : lists.length === 2 && 'lg:grid-cols-2',
      )}
    >
      {lists.map((by) => (
        <TopList key={by} page={{ ...page, by }} by={by} />
      ))}
    </div>
  );
}

function TopList({ by, page }: { by: ListKey; page: Shown }) {
  const { t } = useTranslation('analytics');
  const { data, error, isFetching, refetch } = useQuery(usageQuery(page));
  const id = `analytics-top-${by}`;
  return (
    <Card aria-labelledby={id} className="min-w-0">
      <CardHead
        id={id}
        title={t(`top.${by}`)}
        aside={
          data &&
          data.group_count > most && (
            <span className="text-13 text-text2">{t('topMore', { count: data.group_count })}</span>
          )
        }
      />
      {error && !data ? (
        <ErrorState text={error.message} busy={isFetching} onRetry={() => void refetch()} />
      ) : data ? (
        <Rows by={by} page={page} report={data} />
      ) : (
        <Bones />
      )}
    </Card>
  );
}

interface RowsProps {
  by: ListKey;
  page: Shown;
  report: UsageReport;
}

function Rows({ by, page, report }: RowsProps) {
  const { t } = useTranslation('analytics');
  const labelOf = useGroupLabel(by);
  const { groups, total, points } = report;
  if (groups.length === 0) return <p className="px-4 pt-2 pb-5 text-13 text-text2">{t('topNothing')}</p>;
  const dearest = groups[0]?.quota ?? 0;
  const dates = { first: points[0]?.date.slice(0, 10) ?? '', last: points.at(-1)?.date.slice(0, 10) ?? '' };
  const time = logTimeOf(page.search, dates);
  return (
    <ol className="px-4 pb-3">
      {groups.slice(0, most).map((group) => {
        const name = labelOf(group);
        return (
          <li key={group.id} className="py-1.5">
            <div className="flex items-center gap-3 text-13">
              <div className="min-w-0 flex-1">
                <GroupLink by={by} group={group} name={name} page={page} time={time} />
              </div>
              <Money credits={group.quota} />
              <span className="w-13 flex-none text-right text-12 text-text2 tabular-nums">
                {formatPercent(total.quota === 0 ? 0 : group.quota / total.quota, 1)}
              </span>
            </div>
            <div className="mt-1 flex items-center gap-3">
              <span aria-hidden className="h-1 min-w-0 flex-1 overflow-hidden rounded-full bg-fill">
                <span
                  className="block h-1 rounded-full bg-series-1"
                  style={{ width: `${dearest === 0 ? 0 : Math.max(1, (group.quota / dearest) * 100)}%` }}
                />
              </span>
              {/* One width in every row, so that bar lengths compare. */}
              <span
                className="w-24 flex-none text-right text-12 text-text2 tabular-nums"
                title={formatWhole(group.requests)}
              >
                {t('topRequests', { count: group.requests, total: abbreviate(group.requests) })}
              </span>
            </div>
          </li>
        );
      })}
    </ol>
  );
}

interface LinkProps {
  by: ListKey;
  group: UsageGroup;
  name: string;
  page: Shown;
  /** The period, in the log's format. */
  time: string;
}

/** Link from a group: to the calls of a model or token, or to the analytics of a channel or user. */
function GroupLink({ by, group, name, page, time }: LinkProps): ReactNode {
  const { t } = useTranslation('analytics');
  const look = 'block max-w-full truncate text-left hover:text-accent hover:underline';
  const text = <MarkedName by={by} group={group} name={name} />;
  // The log finds tokens by name.
  if (by === 'token' && group.name === '') return <span className="text-text2">{text}</span>;
  if (by === 'model' || by === 'token')
    return (
      <Link
        to="/panel/log"
        search={{ ...logFiltersOf({ ...page, by, group }), time }}
        className={look}
        aria-label={t('openLog', { name })}
      >
        {text}
      </Link>
    );
  const one = by === 'channel' ? { channel_id: Number(group.id) } : { username: group.name };
  // A deleted user has no name to filter by.
  if (one.username === '') return <span className="text-text2">{text}</span>;
  return (
    <Link
      to="/panel/analytics"
      search={(now) => ({ ...now, ...one, by: 'model' })}
      className={look}
      aria-label={t('openGroup', { name })}
    >
      {text}
    </Link>
  );
}

function Bones() {
  return (
    <div className="px-4 pb-3">
      {['72%', '54%', '63%', '48%', '58%'].map((width) => (
        <div key={width} className="grid h-11 content-center gap-2.5">
          <Skeleton width={width} />
          <Skeleton width="100%" className="h-1!" />
        </div>
      ))}
    </div>
  );
}
