import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { atBase } from '#base-path.ts';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';

interface LoginSearch {
  /** The page to return to after signing in. */
  redirect?: string | undefined;
  /** Whether the first step was done elsewhere and the second one is due. */
  second?: boolean | undefined;
}

export const Route = createFileRoute('/_public/login')({
  // The keys are always present: the router would fill missing ones from the typed address.
  validateSearch: (search: Record<string, unknown>): LoginSearch => ({
    redirect: safeRedirect(search['redirect']),
    second: search['second'] === true || undefined,
  }),
  beforeLoad: ({ search }) => {
    if (session.get().user) throw redirect({ href: atBase(search.redirect ?? '/panel'), replace: true });
  },
  // Without the shared components' texts, which this page does not need: it is many visitors' first page.
  loader: () => loadTexts('login', 'secondStep'),
  component: lazyRouteComponent(() => import('./login-screen.tsx'), 'LoginScreen'),
});

/** The path of a page of this site, or undefined: no open redirect. */
function safeRedirect(target: unknown): string | undefined {
  if (typeof target !== 'string' || !/^\/(?![/\\])/.test(target)) return undefined;
  if (!URL.canParse(target, location.origin)) return undefined;
  const url = new URL(target, location.origin);
  return url.origin === location.origin && url.pathname !== '/login' ? url.pathname + url.search + url.hash : undefined;
}
