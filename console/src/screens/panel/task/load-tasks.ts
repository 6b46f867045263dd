import { loadScreen, type ScreenContext } from '#api/load-screen.ts';
import type { TaskScreenKind, TaskSearch } from './task-defaults.ts';

/** Loader of both screens. Its calls are not in the routes, which are part of every first load. */
export async function loadTasks(context: ScreenContext, kind: TaskScreenKind, search: TaskSearch): Promise<void> {
  const texts = loadScreen(context, ['task']);
  if (context.allowed) (await import('./prefetch-tasks.ts')).prefetchTasks(context.queryClient, kind, search);
  await texts;
}
