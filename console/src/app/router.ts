import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { isConsole, session } from '#api/session.ts';
import { CrashPage } from './crash-page.tsx';
import { discardPage } from './discard-page.ts';
import { queryClient } from './query-client.ts';
import { routeTree } from './route-tree.gen.ts';

export const router = createRouter({
  routeTree,
  context: { queryClient, allowed: true },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: CrashPage,
  defaultStructuralSharing: true,
  // Plain text in the address, `?page=2&keyword=007`; the schema of a screen says what is a number.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// The router itself goes to the top, smoothly where the page is another one.
router.subscribe('onBeforeNavigate', ({ pathChanged, fromLocation }) => {
  const calm = !pathChanged || !fromLocation || matchMedia('(prefers-reduced-motion: reduce)').matches;
  router.options.scrollRestorationBehavior = calm ? 'instant' : 'smooth';
});

const publicPaths = new Set<unknown>(['/api/status', '/api/notice', '/api/model_ownedby/', '/api/prices']);
let owner = session.get().user?.id;

// What one account has seen is not for the next one, and the guards look again.
session.subscribe(() => {
  const { user, ended } = session.get();
  // The page stays under the sign-in dialog, with all that it has.
  if (ended) return;
  if (user && owner && user.id !== owner) return discardPage(isConsole() ? '/panel' : location.href);
  // At once: later it would take the queries of the page that the next account opens.
  if (user?.id !== owner)
    queryClient.removeQueries({
      type: user ? 'all' : 'inactive',
      predicate: ({ queryKey }) => !publicPaths.has(queryKey[0]),
    });
  owner = user?.id;
  void router.invalidate();
});
