import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from '#api/session.ts';
import { cachedSite, siteQuery } from '#api/site.ts';
import { storage } from '#api/storage.ts';
import { loadTexts } from '#i18n/i18n.ts';

interface RegisterSearch {
  /** Referral code of the inviter. */
  aff?: string | undefined;
}

const longestCode = 64;

export const Route = createFileRoute('/_public/register')({
  validateSearch: (search: Record<string, unknown>): RegisterSearch => {
    // The router parses a code of digits as a number.
    const aff = typeof search['aff'] === 'string' || typeof search['aff'] === 'number' ? String(search['aff']) : '';
    return { aff: aff.slice(0, longestCode) || undefined };
  },
  beforeLoad: ({ search }) => {
    if (session.get().user) throw redirect({ to: '/panel', replace: true });
    // Stored until an account exists, which may be created on a later visit or via a provider.
    if (search.aff) storage.set('aff', search.aff);
  },
  // The page depends on the site's settings; rendering without them would shift everything.
  loader: ({ context }) =>
    Promise.all([
      loadTexts('shared', 'register', 'login', 'secondStep'),
      cachedSite() ?? context.queryClient.prefetchQuery(siteQuery),
    ]),
  component: lazyRouteComponent(() => import('./register-screen.tsx'), 'RegisterScreen'),
});
