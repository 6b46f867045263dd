import type { Task } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { taskById } from '#screens/panel/task/task-calls.ts';
import { isOpen } from '#screens/panel/task/task-look.ts';
import type { TaskReader } from '#screens/panel/task/task-search.ts';

const openMs = 3000;

interface Options {
  id: number;
  /** The list's rows, which follow their tasks; only a task of another page is fetched. */
  rows: readonly Task[];
  reader: TaskReader;
}

/** The open task, and its neighbours in the list. */
export function useOpenTask({ id, rows, reader }: Options) {
  const at = rows.findIndex((row) => row.id === id);
  const listed = rows[at];
  const query = useQuery({
    ...taskById(id, reader),
    enabled: !listed,
    refetchInterval: ({ state }) => state.data !== undefined && isOpen(state.data) && openMs,
  });
  return {
    query,
    task: listed ?? query.data,
    previous: at < 0 ? undefined : rows[at - 1],
    next: at < 0 ? undefined : rows[at + 1],
  };
}
