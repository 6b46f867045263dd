import { taskApi, userApi, type Page, type Task } from '@relay-hub/contract';
import { keepPreviousData, useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { taskPage, tasksNow } from './task-calls.ts';
import { isOpen } from './task-look.ts';
import type { TaskSearch } from './task-defaults.ts';
import type { TaskReader } from './task-search.ts';

const openMs = 3000;
const newMs = 10_000;
const noRows: Task[] = [];

interface LiveTasks {
  page: UseQueryResult<Page<Task>>;
  rows: readonly Task[];
  /** Whether new tasks appear by themselves. */
  live: boolean;
  /** The task that ended last while it was on screen. */
  ended: Task | undefined;
}

/**
 * One page of tasks that follows its unfinished ones, of which alone it asks the server; they come from neither a
 * hidden page nor one without any. The first page also shows new tasks, unless `paused`.
 */
export function useLiveTasks(search: TaskSearch, reader: TaskReader, paused: boolean): LiveTasks {
  const client = useQueryClient();
  const live = search.page === 1 && !paused;
  const list = taskPage(search, reader);
  const page = useQuery({ ...list, placeholderData: keepPreviousData, refetchInterval: live && newMs });
  const rows = page.data?.data ?? noRows;
  const open = useMemo(() => rows.filter(isOpen).map(({ id }) => id), [rows]);
  useQuery({
    queryKey: [taskApi.list.path, 'now', reader.admin, open],
    queryFn: async ({ signal }) => {
      const now = await tasksNow(open, reader, signal);
      client.setQueryData<Page<Task>>(list.queryKey, (shown) => shown && { ...shown, data: withNow(shown.data, now) });
      return now.length;
    },
    enabled: open.length > 0 && !page.isPlaceholderData,
    refetchInterval: openMs,
    gcTime: 0,
    meta: { quiet: true },
  });
  const ended = useEnded(rows);
  useEffect(() => {
    // A failure returns its charge.
    if (ended) void refresh(client, taskApi.totals, taskApi.ownTotals, userApi.self);
  }, [client, ended]);
  return { page, rows, live, ended };
}

/** The task that was open in earlier rows and has ended since; the last one, if several have. */
function useEnded(rows: readonly Task[]): Task | undefined {
  const [seen, setSeen] = useState<{ rows: readonly Task[]; ended?: Task | undefined }>({ rows });
  if (seen.rows === rows) return seen.ended;
  const wasOpen = new Set(seen.rows.filter(isOpen).map(({ id }) => id));
  setSeen({ rows, ended: rows.find((row) => wasOpen.has(row.id) && !isOpen(row)) ?? seen.ended });
  return seen.ended;
}

/** The rows with their current state; a row that has not changed stays the same object. */
function withNow(rows: readonly Task[], now: readonly Task[]): Task[] {
  const current = new Map(now.map((task) => [task.id, task]));
  return rows.map((row) => {
    const next = current.get(row.id);
    return next && JSON.stringify(next) !== JSON.stringify(row) ? next : row;
  });
}
