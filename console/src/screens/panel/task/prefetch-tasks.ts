import { isAdmin } from '@relay-hub/contract';
import type { QueryClient } from '@tanstack/react-query';
import { currentUser } from '#api/session.ts';
import { taskPage, taskTotals } from './task-calls.ts';
import type { TaskScreenKind, TaskSearch } from './task-defaults.ts';
import { readerOf } from './task-search.ts';

/** Starts the calls for a list and its sums. */
export function prefetchTasks(client: QueryClient, kind: TaskScreenKind, search: TaskSearch): void {
  const user = currentUser();
  const reader = readerOf(kind, user, isAdmin(user?.role ?? 0));
  void client.prefetchQuery(taskPage(search, reader));
  void client.prefetchQuery(taskTotals(search, reader));
}
