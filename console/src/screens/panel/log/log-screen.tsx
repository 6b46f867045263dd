import { type Log, logType } from '@relay-hub/contract';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Download, List } from 'lucide-react';
import { lazy, Suspense, useCallback, useState } from 'react';
import { useTranslation } from '#i18n/use-translation.ts';
import { useModelOwners } from '#api/model-owners.ts';
import { useSession } from '#api/session.ts';
import { withCursors } from '#list/cursor-paging.ts';
import { changedFilters } from '#list/list-filters.ts';
import { rowId, useListScreen } from '#list/use-list-screen.ts';
import { Button, IconButton } from '#ui/basic/button.tsx';
import { useRowInSight } from '#ui/table/active-row.ts';
import { DataTable } from '#ui/table/data-table.tsx';
import type { TableQuery } from '#ui/table/table-page.ts';
import { EmptyState } from '#ui/feedback/empty-state.tsx';
import type { FilterValues } from '#ui/table/filter.ts';
import { PageHeader } from '#ui/basic/page-header.tsx';
import { formatDate, formatTimeOfDay } from '#ui/format/time.ts';
import { isPhone, useIsPhone } from '#ui/basic/use-media.ts';
import { useNow } from '#ui/format/use-now.ts';
import { channelNames, countLogs, logPage, logTotals, type NamedChannel } from './log-api.ts';
import { LogSearchField } from '#screens/panel/log/search/log-search-field.tsx';
import { LogLive } from './log-live.tsx';
import { subjectOf } from './log-row.ts';
import { logDefaults, type LogFilters, type LogSearch, noCursors, noLogFilters } from './log-defaults.ts';
import { LogSums, LogSumsShort } from './log-sums.tsx';
import { LogUnfinished, useLogNote } from '#screens/panel/log/detail/log-unfinished.tsx';
import { ApiError } from '#api/api-error.ts';
import { toast } from '#ui/feedback/toast.ts';
import { useLogColumns } from './use-log-columns.tsx';
import { useLogFilters } from './use-log-filters.ts';

const route = getRouteApi('/panel/log');
const LogDetail = lazy(async () => ({ default: (await import('#screens/panel/log/detail/log-detail.tsx')).LogDetail }));
const LogNoCalls = lazy(async () => ({ default: (await import('./log-no-calls.tsx')).LogNoCalls }));
const UnknownKeysCard = lazy(async () => ({ default: (await import('./unknown-keys.tsx')).UnknownKeysCard }));
// Cards are used on phones only, where they load with the screen rather than after its list.
const loadCard = () => import('./log-card.tsx');
const LogCard = lazy(async () => ({ default: (await loadCard()).LogCard }));
if (isPhone()) void loadCard();

const liveMs = 4000;
const noChannels: NamedChannel[] = [];
const noRows: Log[] = [];

export function LogScreen() {
  const { t } = useTranslation('log');
  const { isAdmin: admin } = useSession();
  const phone = useIsPhone();
  const { search: address, go } = useListScreen(route.useSearch(), route.useNavigate());
  const { id, ...search } = address;
  const [paused, setPaused] = useState(false);
  const able = search.page === 1;
  const live = able && !paused;

  const page = useQuery({
    ...logPage({ ...search, id: 0 }, admin),
    placeholderData: keepPreviousData,
    refetchInterval: live && liveMs,
  });
  const sums = useQuery({
    ...logTotals(search, admin),
    placeholderData: keepPreviousData,
    refetchInterval: live && liveMs,
  });
  const channels = useQuery({ ...channelNames, enabled: admin && page.isSuccess }).data ?? noChannels;
  const rows = page.data?.data ?? noRows;

  const ownerOf = useModelOwners();
  const today = formatDate(useNow(60));
  const oneDay = rows.every((row) => formatDate(row.created_at) === today);
  const columns = useLogColumns(
    admin,
    oneDay,
    search.log_type === logType.refused ? 'refused' : search.failed === 1 ? 'failed' : undefined,
  );
  const filters = useLogFilters(admin, { rows, channels, token: search.token_id });
  const card = useCallback((row: Log) => <LogCard row={row} owner={ownerOf(row.model_name)} />, [ownerOf]);

  const shown = page.isPlaceholderData ? undefined : page.data;
  const unfinished = shown && shown.searched_to > 0 && rows.length === 0 ? shown : undefined;
  const note = useLogNote(page.data);

  const refused = useRefusedInstead(search, admin, shown !== undefined && !unfinished && rows.length === 0);
  const show = (next: number, replace: boolean) => go({ id: next }, { replace, resetScroll: false });
  const step = (change: Partial<LogSearch>) => go(withCursors(noCursors, address, change, shown));
  const onFilter = (change: FilterValues) =>
    step({ ...changedFilters<LogFilters>(noLogFilters, search, change), page: 1 });
  const countFor = useCallback(
    (values: FilterValues) => countLogs(changedFilters(noLogFilters, noLogFilters, values), admin),
    [admin],
  );
  useRowInSight(id);

  // Automatic refetches show no loading state.
  const table: TableQuery<Log> = {
    ...page,
    // Sorted by anything but time, only the sorted rows can be paged through.
    data: page.data && page.data.sorted_newest > 0 ? { ...page.data, more: false } : page.data,
    isFetching: page.isFetching && (!live || page.isPlaceholderData || page.isError),
  };
  const onlyCalls = search.log_type === noLogFilters.log_type || (sums.data?.requests ?? 0) > 0;
  const state = <LogLive live={live} able={able} updatedAt={page.dataUpdatedAt} onToggle={() => setPaused(live)} />;
  return (
    <>
      <div className="max-sm:sr-only">
        <PageHeader title={t('title')} text={t(admin ? 'text' : 'textOwn')}>
          {!phone && <LogExport query={search} admin={admin} />}
        </PageHeader>
      </div>
      <DataTable
        name="log"
        label={t('title')}
        density="compact"
        columns={columns}
        page={table}
        search={search}
        onSearch={step}
        keyOf={rowId}
        nameOf={(row) => t('rowName', { time: formatTimeOfDay(row.created_at), name: subjectOf(row) })}
        toolbar={{
          field: (
            <LogSearchField
              admin={admin}
              rows={rows}
              channels={channels}
              onChoose={({ filter, value }) => onFilter({ [filter]: value })}
            />
          ),
          filters,
          values: search,
          onFilter,
          onClear: () => step({ ...noLogFilters, page: 1 }),
          countFor,
          aside: phone ? (
            <span className="flex items-center gap-3">
              {state}
              {sums.data && !unfinished && <LogSumsShort totals={sums.data} />}
              <LogExport query={search} admin={admin} small />
            </span>
          ) : (
            state
          ),
        }}
        empty={
          <EmptyState
            icon={List}
            title={t('empty')}
            text={t('emptyText')}
            action={<Button render={<Link to="/panel/token" />}>{t('emptyAction')}</Button>}
          />
        }
        onOpen={(row) => show(row.id, id > 0)}
        activeKey={id > 0 ? id : undefined}
        card={card}
        nothing={
          unfinished ? (
            <LogUnfinished page={unfinished} onGo={() => step({ page: search.page + 1 })} />
          ) : (
            refused && (
              <Suspense>
                <LogNoCalls
                  refused={refused}
                  onShow={() => onFilter({ log_type: logType.refused, failed: undefined })}
                />
              </Suspense>
            )
          )
        }
        note={note}
        summary={!phone && onlyCalls && sums.data ? <LogSums totals={sums.data} /> : undefined}
      />
      {admin && search.log_type === logType.refused && (
        <Suspense>
          <UnknownKeysCard filters={search} />
        </Suspense>
      )}
      {id > 0 && (
        <Suspense>
          <LogDetail id={id} admin={admin} rows={rows} onGo={(next) => show(next, true)} />
        </Suspense>
      )}
    </>
  );
}

/** The newest refused call, for an empty list whose filters exclude refused calls. */
function useRefusedInstead(search: LogFilters, admin: boolean, empty: boolean): Log | undefined {
  const leavesOutRefused =
    search.log_type === logType.consume || (search.log_type === logType.all && search.failed > 0);
  const instead = { ...logDefaults, ...search, ...noCursors, page: 1, size: 1, log_type: logType.refused, failed: 0 };
  const enabled = empty && leavesOutRefused && search.channel_id === 0 && search.stream === 0;
  const { data } = useQuery({ ...logPage(instead, admin), enabled });
  return enabled ? data?.data[0] : undefined;
}

interface Props {
  query: LogFilters & { order: string };
  admin: boolean;
  small?: boolean | undefined;
}

function LogExport({ query, admin, small = false }: Props) {
  const { t } = useTranslation('log');
  const work = useMutation({
    mutationFn: async () => (await import('./export-logs.ts')).exportLogs(query, admin, t),
    meta: { quiet: true },
    // The browser's message for a broken connection is not readable.
    onError: (error) => toast.error((error instanceof ApiError && error.message) || t('exportFailed')),
  });
  const act = { icon: Download, busy: work.isPending, onClick: () => work.mutate() };
  return small ? <IconButton label={t('export')} {...act} /> : <Button {...act}>{t('export')}</Button>;
}
