import { launchApi, type LaunchItem, type LaunchList } from '@relay-hub/contract';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
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
  staleTime: 0,
  meta: { quiet: true },
});

export interface LaunchState {
  /** Content below must not be drawn earlier, since the list would push it down. */
  isKnown: boolean;
  list: LaunchList | undefined;
  /** Undefined: nothing is left, or the list was hidden. */
  Card: Awaited<ReturnType<NonNullable<typeof launchQuery.queryFn>>>['Card'];
  skip: (item: LaunchItem, skipped: boolean) => void;
  hide: () => void;
}

/** The checklist of the super administrator. */
export function useLaunch(): LaunchState {
  const { isRoot } = useSession();
  const client = useQueryClient();
  const { data, isFetched } = useQuery({ ...launchQuery, enabled: isRoot });
  const update = useMutation({
    mutationFn: (body: { item?: LaunchItem; skipped?: boolean; dismissed?: boolean }) =>
      call(launchApi.update, { body }),
    onSuccess: (list) => client.setQueryData(launchQuery.queryKey, (before) => before && { ...before, list }),
  });
  return {
    isKnown: !isRoot || isFetched,
    list: data?.list,
    Card: data && isOpen(data.list) ? data.Card : undefined,
    skip: (item, skipped) => update.mutate({ item, skipped }),
    hide: () => update.mutate({ dismissed: true }),
  };
}
