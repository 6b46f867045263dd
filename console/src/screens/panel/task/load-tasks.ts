import { loadScreen, type ScreenContext } from '#api/load-screen.ts';
import type { TaskScreenKind, TaskSearch } from './task-defaults.ts';

/** Loader of both screens. Its calls are not in the routes, which are part of every first load. */
export function loadTasks(context: ScreenContext, kind: TaskScreenKind, search: TaskSearch): Promise<void> {
  if (context.allowed)
    void import('./prefetch-tasks.ts').then(({ prefetchTasks }) => prefetchTasks(context.queryClient, kind, search));
  return loadScreen(context, ['task']);
}
