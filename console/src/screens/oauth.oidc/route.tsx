import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts } from '#i18n/i18n.ts';
import { comingBack } from '../oauth/coming-back.ts';

export const Route = createFileRoute('/_public/oauth/oidc')({
  validateSearch: comingBack,
  loader: () => loadTexts('elsewhere'),
  component: lazyRouteComponent(() => import('../oauth/oauth-screen.tsx'), 'OidcScreen'),
});
