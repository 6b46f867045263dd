import { taskApi, type Task } from '@relay-hub/contract';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { useTranslation } from '#i18n/use-translation.ts';
import { filtersIn } from '#list/list-filters.ts';
import { useIsPhone } from '#ui/basic/use-media.ts';
import type { TableQuery } from '#ui/table/table-page.ts';
import { TaskLive } from './list/task-live.tsx';
import { WhoseTasks } from './list/whose-tasks.tsx';
import { useTaskToolbar } from './list/use-task-toolbar.tsx';
import { taskTotals } from './task-calls.ts';
import { subjectOf } from './task-look.ts';
import { noTaskFilters, type TaskScreenKind, type TaskSearch } from './task-defaults.ts';
import { readerOf } from './task-search.ts';
import { useLiveTasks } from './use-live-tasks.ts';

interface Options {
  kind: TaskScreenKind;
  search: TaskSearch;
  go: (change: Partial<TaskSearch>, options?: { replace?: boolean; resetScroll?: boolean }) => void;
}

/** State and actions of a list of tasks, whatever its form. */
export function useTaskList({ kind, search, go }: Options) {
  const { t } = useTranslation('task');
  const { user, isAdmin } = useSession();
  const phone = useIsPhone();
  const reader = readerOf(kind, user, isAdmin);
  const [paused, setPaused] = useState(false);
  const { page, rows, live, ended } = useLiveTasks({ ...search, id: 0 }, reader, paused);
  const filters = filtersIn(noTaskFilters, search);
  const totals = useQuery({ ...taskTotals(filters, reader), placeholderData: keepPreviousData }).data;
  useTotalsInStep(page.data?.total_count, totals?.count);
  const toolbar = useTaskToolbar({
    filters,
    reader,
    totals,
    loaded: page.isSuccess,
    onChange: (next) => go({ ...next, page: 1 }),
  });
  const state = <TaskLive live={live} able={search.page === 1} onToggle={() => setPaused(live)} />;
  const whose = isAdmin && (
    <WhoseTasks reader={reader} username={search.username} onChange={(username) => go({ username, page: 1 })} />
  );
  const open = useCallback((task: Task) => go({ id: task.id }, { replace: false, resetScroll: false }), [go]);
  // Automatic refetches show no loading state.
  const table: TableQuery<Task> = {
    ...page,
    isFetching: page.isFetching && (!live || page.isPlaceholderData || page.isError),
  };
  return {
    reader,
    rows,
    table,
    /** For the header; on phones they are part of the toolbar, or left out. */
    controls: !phone && (
      <>
        {state}
        {whose}
      </>
    ),
    toolbar: {
      ...toolbar,
      aside: (
        <span className="flex items-center gap-3">
          {toolbar.aside}
          {phone && state}
        </span>
      ),
    },
    /** For screen readers: the task that ended last. */
    announcement: (
      <p role="status" className="sr-only">
        {ended && t('ended', { name: subjectOf(ended, t), status: t(`statuses.${ended.status}`) })}
      </p>
    ),
    open,
    show: (id: number) => go({ id }, { replace: true, resetScroll: false }),
  };
}

/** Fetches the sums again when the list has found more or fewer tasks. */
function useTotalsInStep(listed: number | undefined, summed: number | undefined) {
  const client = useQueryClient();
  // The number that the sums lack.
  const missing = summed !== undefined && listed !== summed && listed;
  useEffect(() => {
    if (missing !== false && missing !== undefined) void refresh(client, taskApi.totals, taskApi.ownTotals);
  }, [client, missing]);
}
