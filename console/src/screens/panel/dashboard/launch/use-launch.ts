import { launchApi, type LaunchItem, type LaunchList } from '@relay-hub/contract';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { useSession } from '#api/session.ts';

export const launchQuery = { ...apiQuery(launchApi.get), staleTime: 0, meta: { quiet: true } };

export interface LaunchState {
  /** `unknown` until loaded; content below must not be drawn earlier, since the list would push it down. */
  phase: 'unknown' | 'open' | 'closed';
  items: LaunchList['items'];
  skip: (item: LaunchItem, skipped: boolean) => void;
  hide: () => void;
}

/** The checklist of the super administrator; open while something is left and it was not hidden. */
export function useLaunch(): LaunchState {
  const { isRoot } = useSession();
  const client = useQueryClient();
  const { data, isFetched } = useQuery({ ...launchQuery, enabled: isRoot });
  const update = useMutation({
    mutationFn: (body: { item?: LaunchItem; skipped?: boolean; dismissed?: boolean }) =>
      call(launchApi.update, { body }),
    onSuccess: (list) => client.setQueryData(launchQuery.queryKey, list),
  });
  const items = data?.items ?? [];
  const isOpen = data !== undefined && !data.dismissed && items.some(({ state }) => state === 'open');
  return {
    phase: isOpen ? 'open' : !isRoot || isFetched ? 'closed' : 'unknown',
    items,
    skip: (item, skipped) => update.mutate({ item, skipped }),
    hide: () => update.mutate({ dismissed: true }),
  };
}
