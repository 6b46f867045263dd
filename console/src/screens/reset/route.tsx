import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';

export const Route = createFileRoute('/_public/reset')({
  beforeLoad: () => {
    if (session.get().user) throw redirect({ to: '/panel', replace: true });
  },
  loader: () => loadTexts('shared', 'register'),
  component: lazyRouteComponent(() => import('./reset-screen.tsx'), 'ResetScreen'),
});
