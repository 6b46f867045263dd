import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts } from '#i18n/i18n.ts';

export const Route = createFileRoute('/_public/jump')({
  // The key is always present: the router would fill a missing one from the typed address.
  validateSearch: ({ url }: Record<string, unknown>): { url?: string | undefined } => ({
    url: typeof url === 'string' ? url : undefined,
  }),
  loader: () => loadTexts('jump'),
  component: lazyRouteComponent(() => import('./jump-screen.tsx'), 'JumpScreen'),
});
