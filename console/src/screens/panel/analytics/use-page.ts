import { getRouteApi } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useSession } from '#api/session.ts';
import { shownOf, type Shown } from './analytics-api.ts';
import { isOfHub } from './analytics-search.ts';

const route = getRouteApi('/panel/analytics');

/** What the page shows, from its address and the user's role. */
export function usePage(): Shown {
  const search = route.useSearch();
  const { isAdmin } = useSession();
  return useMemo(() => shownOf(search, isOfHub(search, isAdmin)), [search, isAdmin]);
}
