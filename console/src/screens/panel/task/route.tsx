import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '#api/search-of.ts';
import { loadTasks } from './load-tasks.ts';
import { taskDefaults } from './task-defaults.ts';

export const Route = createFileRoute('/panel/task')({
  staticData: { menu: { group: 'usage', order: 30, titleKey: 'task' } },
  ...searchOf(taskDefaults),
  // Opening a task does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, id: 0 }),
  loader: ({ context, deps }) => loadTasks(context, 'other', deps),
  component: lazyRouteComponent(() => import('./task-screen.tsx'), 'TaskScreen'),
});
