import { createFileRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';

/** Every part of the kit with its states, in development only: nothing of it is in a build. */
export const Route = createFileRoute('/_public/dev/states')({
  beforeLoad: () => {
    if (!import.meta.env.DEV) throw notFound();
  },
  ...(import.meta.env.DEV && { component: lazyRouteComponent(() => import('./states-screen.tsx'), 'StatesScreen') }),
});
