import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { basePath } from '#base-path.ts';
import { isConsole, session } from '#api/session.ts';
import { CrashPage } from './crash-page.tsx';
import { discardPage } from './discard-page.ts';
import { queryClient } from './query-client.ts';
import { routeTree } from './route-tree.gen.ts';

export const router = createRouter({
  routeTree,
  basepath: basePath || '/',
  context: { queryClient, allowed: true },
  defaultPreload: 'intent',
  defaultPreloadStaleTime: 0,
  defaultErrorComponent: CrashPage,
  defaultStructuralSharing: true,
  // Plain text in the address, `?page=2&keyword=007`; each screen's schema parses numbers.
  parseSearch: parseSearchWith((text) => text),
  stringifySearch: stringifySearchWith(String),
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

// Scroll to the top; smoothly if the page changes.
router.subscribe('onBeforeNavigate', ({ pathChanged, fromLocation }) => {
  const calm = !pathChanged || !fromLocation || matchMedia('(prefers-reduced-motion: reduce)').matches;
  router.options.scrollRestorationBehavior = calm ? 'instant' : 'smooth';
});

const publicPaths = new Set<unknown>(['/api/status', '/api/notice', '/api/model_ownedby/', '/api/prices']);
let owner = session.get().user?.id;

// Data of one account must not be visible to the next one; the guards run again.
session.subscribe(() => {
  const { user, ended } = session.get();
  // The page and its data stay below the sign-in dialog.
  if (ended) return;
  if (user && owner && user.id !== owner) return discardPage(isConsole() ? '/panel' : location.href);
  // Synchronously: later it would remove queries of the next account's page.
  if (user?.id !== owner)
    queryClient.removeQueries({
      type: user ? 'all' : 'inactive',
      predicate: ({ queryKey }) => !publicPaths.has(queryKey[0]),
    });
  owner = user?.id;
  void router.invalidate();
});
