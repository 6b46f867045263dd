import { dashboardApi, userApi } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { refresh } from '#api/api-query.ts';
import { recentQuery, usageQuery } from './dashboard-api.ts';
import { useScope } from './scope.ts';

/** Minimum interval between refreshes: a busy account must not refetch on every call. */
const restMs = 15_000;

/** Refreshes balance and usage when a new call appears. */
export function useRefreshOnCalls(): void {
  const client = useQueryClient();
  const scope = useScope();
  const { data, isSuccess: ready } = useQuery(recentQuery(scope));
  const newest = data?.data[0]?.id ?? 0;
  const seen = useRef<number>(undefined);
  const seenIn = useRef(scope);
  useEffect(() => {
    if (!ready) return;
    if (seenIn.current !== scope) seen.current = undefined;
    seenIn.current = scope;
    const readAt = client.getQueryState(usageQuery(scope).queryKey)?.dataUpdatedAt ?? 0;
    const isNew = seen.current !== undefined && newest !== seen.current;
    if (isNew && seen.current !== 0 && Date.now() - readAt < restMs) return;
    seen.current = newest;
    if (isNew) void refresh(client, userApi.self, scope === 'hub' ? dashboardApi.hub : dashboardApi.own);
  }, [client, newest, ready, scope]);
}
