import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from '#api/session.ts';
import { cachedSite, siteQuery } from '#api/site.ts';
import { storage } from '#api/storage.ts';
import { loadTexts } from '#i18n/i18n.ts';

interface RegisterSearch {
  /** The code of whoever invited. */
  aff?: string | undefined;
}

const longestCode = 64;

export const Route = createFileRoute('/_public/register')({
  validateSearch: (search: Record<string, unknown>): RegisterSearch => {
    // A code of digits alone has been read as a number.
    const aff = typeof search['aff'] === 'string' || typeof search['aff'] === 'number' ? String(search['aff']) : '';
    return { aff: aff.slice(0, longestCode) || undefined };
  },
  beforeLoad: ({ search }) => {
    if (session.get().user) throw redirect({ to: '/panel', replace: true });
    // Kept until there is an account: it may be made on a later visit, or elsewhere.
    if (search.aff) storage.set('aff', search.aff);
  },
  // What the page is made of hangs on the site: drawn before it is known, everything would move.
  loader: ({ context }) =>
    Promise.all([
      loadTexts('shared', 'register', 'login', 'secondStep'),
      cachedSite() ?? context.queryClient.prefetchQuery(siteQuery),
    ]),
  component: lazyRouteComponent(() => import('./register-screen.tsx'), 'RegisterScreen'),
});
