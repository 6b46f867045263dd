import { launchApi, type LaunchList } from '@relay-hub/contract';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';
import { loadTexts } from '#i18n/i18n.ts';

const isOpen = ({ dismissed, items }: LaunchList): boolean => !dismissed && items.some(({ state }) => state === 'open');

/** The list with the card that shows it, which is loaded only while something is left. */
export const launchQuery = queryOptions({
  queryKey: [launchApi.get.path],
  queryFn: async ({ signal }) => {
    const list = await call(launchApi.get, { signal });
    if (!isOpen(list)) return { list, Card: undefined };
    const [{ LaunchCard }] = await Promise.all([import('./launch-card.tsx'), loadTexts('launch')]);
    return { list, Card: LaunchCard };
  },
  meta: { quiet: true },
});

/**
 * The checklist of the super administrator and its card; undefined if nothing is left or it was hidden. Content below
 * must not be drawn before it is known, since the list would push it down.
 */
export function useLaunch() {
  const { isRoot } = useSession();
  const { data, isFetched } = useQuery({ ...launchQuery, enabled: isRoot });
  return { isKnown: !isRoot || isFetched, open: data && isOpen(data.list) ? data : undefined };
}
