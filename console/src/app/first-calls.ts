import { siteApi } from '@relay-hub/contract';
import type { QueryKey } from '@tanstack/react-query';
import { addressOf } from '#api/call.ts';
import { selfQuery } from '#api/self.ts';
import { siteQuery } from '#api/site.ts';
import { unpricedModels } from '#api/unpriced.ts';
import { channelHealth, channelJobs, channelPage, channelTypes, queryOf } from '#screens/panel/channel/channel-api.ts';
import { channelDefaults } from '#screens/panel/channel/channel-defaults.ts';
import { availableQuery, healthQuery } from '#screens/panel/dashboard/dashboard-api.ts';
import { logPage } from '#screens/panel/log/log-api.ts';
import { logDefaults } from '#screens/panel/log/log-defaults.ts';

interface Query {
  queryKey: QueryKey;
}

const everywhere: Query[] = [siteQuery, { queryKey: [siteApi.notice.path] }];

/** Queries of single pages that are the same at every visit, by who opens the page. */
const byPage: Record<string, { user?: Query[]; admin?: Query[] }> = {
  '/panel/channel': {
    admin: [channelPage(queryOf(channelDefaults)), channelTypes, channelHealth, channelJobs, unpricedModels],
  },
  '/panel/dashboard': { user: [availableQuery], admin: [availableQuery, healthQuery] },
  '/panel/log': { admin: [logPage(logDefaults, true)] },
};

/** Addresses of the calls with which a page begins, for the build: the server has the browser send them at once. */
export function firstCalls(page: string): Record<'guest' | 'user' | 'admin', string[]> {
  const own = byPage[page === '/panel' ? '/panel/dashboard' : page] ?? {};
  const shared = page.startsWith('/panel') ? [selfQuery, ...everywhere] : everywhere;
  const addresses = (more: Query[] = []): string[] => [...shared, ...more].map(addressOfQuery);
  return { guest: addresses(), user: addresses(own.user), admin: addresses(own.admin) };
}

/** As `apiQuery` makes the key: the path, and the input. */
function addressOfQuery({ queryKey: [path, input] }: Query): string {
  const { params, query } = (input ?? {}) as { params?: unknown; query?: unknown };
  return addressOf(String(path), params, query);
}
