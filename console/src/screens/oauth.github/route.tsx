import { createFileRoute, lazyRouteComponent } from '@tanstack/react-router';
import { loadTexts } from '#i18n/i18n.ts';
import { parseOAuthCallback } from '#domain/sign-in/oauth-callback-search.ts';

export const Route = createFileRoute('/_public/oauth/github')({
  validateSearch: parseOAuthCallback,
  loader: () => loadTexts('elsewhere'),
  component: lazyRouteComponent(() => import('#domain/sign-in/oauth-screen.tsx'), 'GitHubScreen'),
});
