import { channelApi, taskApi, type Page, type Task, type TaskTotals } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { allPages } from '#api/all-pages.ts';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import type { TaskFilters, TaskSearch } from './task-defaults.ts';
import { queryOf, type TaskReader } from './task-search.ts';

// Lists, sums and details show their own failures.
const meta = { quiet: true };

type TaskQuery = Record<string, string | number>;

const listTasks = (query: TaskQuery, { admin }: TaskReader, signal?: AbortSignal): Promise<Page<Task>> =>
  admin ? call(taskApi.list, { query, signal }) : call(taskApi.ownList, { query, signal });

const pathOf = ({ admin }: TaskReader) => (admin ? taskApi.list.path : taskApi.ownList.path);

export function taskPage(search: TaskSearch, reader: TaskReader) {
  const { page, size, order } = search;
  const query = { page, size, order, ...queryOf(search, reader) };
  return queryOptions({
    queryKey: [pathOf(reader), { query }],
    queryFn: ({ signal }) => listTasks(query, reader, signal),
    meta,
  });
}

export function taskTotals(filters: TaskFilters, reader: TaskReader) {
  const query = queryOf(filters, reader);
  const { path } = reader.admin ? taskApi.totals : taskApi.ownTotals;
  return queryOptions({
    queryKey: [path, { query }],
    queryFn: ({ signal }): Promise<TaskTotals> =>
      reader.admin ? call(taskApi.totals, { query, signal }) : call(taskApi.ownTotals, { query, signal }),
    meta,
  });
}

/** The current state of tasks, by their ids. */
export const tasksNow = async (ids: readonly number[], reader: TaskReader, signal: AbortSignal): Promise<Task[]> =>
  (await listTasks({ ids: ids.join(), size: ids.length, page: 1, order: '-id' }, reader, signal)).data;

export const taskById = (id: number, { admin }: TaskReader) => ({
  ...apiQuery(admin ? taskApi.get : taskApi.ownGet, { params: { id } }),
  meta,
});

export const countTasks = async (filters: TaskFilters, reader: TaskReader): Promise<number> =>
  (await listTasks({ page: 1, size: 1, order: '-id', ...queryOf(filters, reader) }, reader)).total_count;

export const cancelTask = (id: number, { admin }: TaskReader): Promise<Task> =>
  admin ? call(taskApi.cancel, { params: { id } }) : call(taskApi.ownCancel, { params: { id } });

/** The names of all channels, for the channel filter. */
export const channelNames = queryOptions({
  queryKey: [channelApi.list.path, 'names'],
  queryFn: async ({ signal }): Promise<{ id: number; name: string }[]> => {
    const channels = await allPages((part) => call(channelApi.list, { query: { ...part, order: 'name' }, signal }));
    return channels.map(({ id, name }) => ({ id, name }));
  },
  staleTime: 60_000,
  meta,
});
