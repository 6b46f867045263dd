import { createRouter, parseSearchWith, stringifySearchWith } from '@tanstack/react-router';
import { session } from '#api/session.ts';
import { CrashPage } from './crash-page.tsx';
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
let account = session.get()?.id;

// What one account has seen is not for the next one, and the guards look again.
session.subscribe(() => {
  const next = session.get()?.id;
  // Later, so that a call that has just ended the session can still tell why.
  if (next !== account)
    setTimeout(() => queryClient.removeQueries({ predicate: ({ queryKey }) => !publicPaths.has(queryKey[0]) }));
  account = next;
  void router.invalidate();
});
