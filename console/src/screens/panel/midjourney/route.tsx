import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '#api/search-of.ts';
import { loadTasks } from '#screens/panel/task/load-tasks.ts';
import { taskDefaults } from '#screens/panel/task/task-defaults.ts';

export const Route = createFileRoute('/panel/midjourney')({
  staticData: { menu: { group: 'usage', order: 20, titleKey: 'midjourney' } },
  ...searchOf(taskDefaults),
  // Opening a task does not reload the list.
  loaderDeps: ({ search }) => ({ ...search, id: 0 }),
  loader: ({ context, deps }) => loadTasks(context, 'image', deps),
  component: lazyRouteComponent(() => import('#screens/panel/task/image-screen.tsx'), 'ImageScreen'),
});
