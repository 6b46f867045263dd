import type { siteApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { storage } from './storage.ts';

/**
 * Query for a page's text by the operator. It is cached under `key` in local storage, so that the next visit shows it
 * at once. Quiet: the screen shows the error.
 */
export function cachedText(endpoint: typeof siteApi.home, key: string) {
  return {
    ...apiQuery(endpoint),
    queryFn: async ({ signal }: { signal: AbortSignal }) => {
      const text = await call(endpoint, { signal });
      storage.set(key, text);
      return text;
    },
    initialData: () => storage.get(key) ?? undefined,
    initialDataUpdatedAt: 0,
    staleTime: 5 * 60_000,
    meta: { quiet: true },
  };
}
