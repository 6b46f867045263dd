import { createFileRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { session } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';
import { samePage } from './same-page.ts';

interface LoginSearch {
  /** The page that asked for a user; gone back to after signing in. */
  redirect?: string | undefined;
  /** The first step was taken elsewhere, and the second one is wanted. */
  second?: boolean | undefined;
}

export const Route = createFileRoute('/_public/login')({
  // The key is always there: what is left out would be taken from the address as it was typed.
  validateSearch: (search: Record<string, unknown>): LoginSearch => ({
    redirect: samePage(search['redirect']),
    second: search['second'] === true || undefined,
  }),
  beforeLoad: ({ search }) => {
    if (session.get().user) throw redirect({ href: search.redirect ?? '/panel', replace: true });
  },
  // Without the words of the shared components, of which this page has none: it is the first one of many visitors.
  loader: () => loadTexts('login', 'secondStep'),
  component: lazyRouteComponent(() => import('./login-screen.tsx'), 'LoginScreen'),
});
