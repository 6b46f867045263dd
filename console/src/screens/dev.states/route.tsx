import { createFileRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';

/** Every component in all its states; left out of production builds. */
export const Route = createFileRoute('/_public/dev/states')({
  beforeLoad: () => {
    if (!import.meta.env.DEV) throw notFound();
  },
  ...(import.meta.env.DEV && { component: lazyRouteComponent(() => import('./states-screen.tsx'), 'StatesScreen') }),
});
