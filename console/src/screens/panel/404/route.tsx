import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';

// The page that every unknown address shows, here inside of the panel's frame.
export const Route = createFileRoute('/panel/404')({
  component: lazyRouteComponent(() => import('#app/not-found-page.tsx'), 'NotFoundPage'),
});
