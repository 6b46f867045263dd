import { siteApi, type SiteInfo } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';
import { call } from './call.ts';
import { storage } from './storage.ts';

const key = 'siteInfo';

/** The version this console was built as. */
export const consoleVersion = 'v0.14.8';

const defaultName = 'Relay Hub';

/** Site information; what it says is kept, so that a server that is away for a moment leaves the page as it was. */
export const siteQuery = {
  ...apiQuery(siteApi.status),
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const info = await call(siteApi.status, { signal });
    remember(info);
    return info;
  },
  initialData: cachedSite,
  initialDataUpdatedAt: 0,
  staleTime: 5 * 60_000,
  // The root tells of its failures in words of its own.
  meta: { quiet: true },
};

/** Site information of an earlier visit. */
export function cachedSite(): SiteInfo | undefined {
  const cached = storage.getJson(key);
  return isSite(cached) ? cached : undefined;
}

/** Another console on this origin may have written it, or an earlier version: what every page needs is there. */
function isSite(cached: unknown): cached is SiteInfo {
  if (typeof cached !== 'object' || cached === null || !('quota_per_unit' in cached)) return false;
  const texts = ['system_name', 'footer_html', 'server_address'];
  return texts.every((name) => typeof Reflect.get(cached, name) === 'string');
}

function remember(info: SiteInfo): void {
  storage.set(key, JSON.stringify(info));
  storage.set('quota_per_unit', String(info.quota_per_unit));
  storage.set('display_in_currency', String(info.display_in_currency));
}

/** Site information; undefined only on a first visit until the server has answered. */
export function useSite(): SiteInfo | undefined {
  return useQuery(siteQuery).data;
}

/** The site's own name, or the product's until it is known. */
export function useSiteName(): string {
  return useSite()?.system_name || defaultName;
}

/** The address that callers put before `/v1`. */
export function useServerAddress(): string {
  return useSite()?.server_address.replace(/\/+$/, '') || location.origin;
}
