import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { searchOf } from '#api/search-of.ts';
import { loadTexts } from '#i18n/i18n.ts';

export const Route = createFileRoute('/_public/unsubscribe')({
  ...searchOf<{ token: string }>({ token: '' }),
  loader: () => loadTexts('announcement'),
  component: lazyRouteComponent(() => import('./unsubscribe-screen.tsx'), 'UnsubscribeScreen'),
});
