import type { UsageGroup, UsageReport } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { Card, CardHead } from '#ui/basic/card.tsx';
import { cx } from '#ui/basic/cx.ts';
import { ErrorState } from '#ui/feedback/error-state.tsx';
import { MiddleCut } from '#ui/basic/middle-cut.tsx';
import { Money } from '#ui/format/money.tsx';
import { abbreviate, formatPercent, formatWhole } from '#ui/format/number.ts';
import { Skeleton } from '#ui/feedback/skeleton.tsx';
import { usageQuery } from './analytics-api.ts';
import type { AnalyticsSearch } from './analytics-defaults.ts';
import { isOfOne, logTimeOf } from './analytics-search.ts';
import { useGroupLabel } from './use-labels.ts';

type ListKey = 'model' | 'channel' | 'user';
const most = 8;

/** The most expensive models, channels and users; only models when the page shows one user or channel. */
export function TopLists({ search }: { search: AnalyticsSearch }) {
  const lists: ListKey[] = isOfOne(search) ? ['model'] : ['model', 'channel', 'user'];
  return (
    <div className={cx('grid grid-cols-1 gap-4 max-sm:gap-2', lists.length > 1 && 'lg:grid-cols-3')}>
      {lists.map((by) => (
        <TopList key={by} by={by} search={search} />
      ))}
    </div>
  );
}

function TopList({ by, search }: { by: ListKey; search: AnalyticsSearch }) {
  const { t } = useTranslation('analytics');
  const { data, error, isFetching, refetch } = useQuery(usageQuery(search, by));
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
        <Rows by={by} search={search} report={data} />
      ) : (
        <Bones />
      )}
    </Card>
  );
}

interface RowsProps {
  by: ListKey;
  search: AnalyticsSearch;
  report: UsageReport;
}

function Rows({ by, search, report }: RowsProps) {
  const { t } = useTranslation('analytics');
  const labelOf = useGroupLabel(by);
  const { groups, total, points } = report;
  if (groups.length === 0) return <p className="px-4 pt-2 pb-5 text-13 text-text2">{t('topNothing')}</p>;
  const dearest = groups[0]?.quota ?? 0;
  const dates = { first: points[0]?.date.slice(0, 10) ?? '', last: points.at(-1)?.date.slice(0, 10) ?? '' };
  const time = logTimeOf(search, dates);
  return (
    <ol className="px-4 pb-3">
      {groups.slice(0, most).map((group) => {
        const name = labelOf(group);
        return (
          <li key={group.id} className="py-1.5">
            <div className="flex items-center gap-3 text-13">
              <div className="min-w-0 flex-1">
                <GroupLink by={by} group={group} name={name} search={search} time={time} />
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
  search: AnalyticsSearch;
  /** The period, in the log's format. */
  time: string;
}

/** Link from a group: to the calls of a model, or to the analytics of a channel or user. */
function GroupLink({ by, group, name, search, time }: LinkProps): ReactNode {
  const { t } = useTranslation('analytics');
  const look = 'block max-w-full truncate text-left hover:text-accent hover:underline';
  const text = <MiddleCut text={name} />;
  if (by === 'model')
    return (
      <Link
        to="/panel/log"
        search={{ model_name: group.id, time, username: search.username, channel_id: search.channel_id }}
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
