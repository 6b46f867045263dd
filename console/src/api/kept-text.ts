import type { siteApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { storage } from './storage.ts';

/**
 * A text of the operator that fills a page. It is kept under `key`, so that the next visit shows it at once instead of
 * what it replaces. The screen tells of a failure itself.
 */
export function keptText(endpoint: typeof siteApi.home, key: string) {
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
