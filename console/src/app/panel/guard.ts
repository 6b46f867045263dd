import { redirect, type StaticDataRouteOption } from '@tanstack/react-router';
import { atBase } from '#base-path.ts';
import { currentUser } from '#api/session.ts';
import { mayOpen } from '../menu.ts';

/** The part of a route's `beforeLoad` options that the guard reads. */
interface GuardOptions {
  location: { href: string };
  matches: { staticData: StaticDataRouteOption }[];
}

/** `beforeLoad` of routes for signed-in users: redirects visitors to the login page, and returns whether the screen is allowed. */
export function guard(options: object): { allowed: boolean } {
  // The type of `matches` includes the route itself, so TypeScript cannot infer it.
  const { location, matches } = options as GuardOptions;
  const user = currentUser();
  if (!user) {
    const search = new URLSearchParams({ redirect: location.href });
    throw redirect({ href: atBase(`/login?${search}`), replace: true });
  }
  return { allowed: matches.every(({ staticData }) => mayOpen(staticData.menu ?? {}, user)) };
}
