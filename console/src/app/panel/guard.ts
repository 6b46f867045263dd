import { redirect, type StaticDataRouteOption } from '@tanstack/react-router';
import { currentUser } from '#api/session.ts';
import { mayOpen } from '../menu.ts';

/** The part of a route's `beforeLoad` options that the guard reads. */
export interface GuardOptions {
  location: { href: string };
  matches: { staticData: StaticDataRouteOption }[];
}

/** Redirects visitors without a session to the login page; the result says whether the user may open the screen. */
export function guard({ location, matches }: GuardOptions): { allowed: boolean } {
  const user = currentUser();
  if (!user) throw redirect({ href: `/login?${new URLSearchParams({ redirect: location.href })}`, replace: true });
  return { allowed: matches.every(({ staticData }) => mayOpen(staticData.menu ?? {}, user)) };
}
