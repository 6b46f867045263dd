import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';

export const Route = createFileRoute('/_public')({
  component: lazyRouteComponent(() => import('./public-layout.tsx'), 'PublicLayout'),
});
