import { redirect, type StaticDataRouteOption } from '@tanstack/react-router';
import { currentUser } from '#api/session.ts';
import { mayOpen } from '../menu.ts';

/** What the guard reads of a route's `beforeLoad` options. */
export interface Asked {
  location: { href: string };
  matches: { staticData: StaticDataRouteOption }[];
}

/** Sends visitors without a user to the login page, and tells the screen whether this one may see it. */
export function guard({ location, matches }: Asked): { allowed: boolean } {
  const user = currentUser();
  if (!user) throw redirect({ href: `/login?${new URLSearchParams({ redirect: location.href })}`, replace: true });
  return { allowed: matches.every(({ staticData }) => mayOpen(staticData.menu ?? {}, user)) };
}
