/** First requests and texts of each page: for the build, in Node. */
import { role } from '@relay-hub/contract';
import { QueryClient } from '@tanstack/react-query';
import { createMemoryHistory, createRouter, type AnyRoute, type StaticDataRouteOption } from '@tanstack/react-router';
import { noticeQuery } from '#api/notice.ts';
import { currentUser, session } from '#api/session.ts';
import { siteQuery } from '#api/site.ts';
import { languages } from '#i18n/languages.ts';
import { startLanguage } from '#i18n/t.ts';
import type { Namespace } from '#i18n/texts.ts';
import { mayOpen } from './menu.ts';
import { routeTree } from './route-tree.gen.ts';

/** Roles of visitors; `guest` is not signed in. */
const visitors = { guest: role.guest, user: role.user, admin: role.admin, root: role.root };

interface PageStart {
  /** Addresses of the GET requests that a page begins with when it is opened without a search, by visitor. */
  calls: Record<string, string[]>;
  /** Its texts, by language and namespace. */
  texts: Record<string, Record<string, object>>;
}

interface LoaderOptions {
  staticData?: StaticDataRouteOption;
  validateSearch?: (search: object) => object;
  loaderDeps?: (options: { search: object }) => object;
  loader?: (options: object) => unknown;
}

const context = { queryClient: new QueryClient(), allowed: true };
const { routesByPath } = createRouter({ routeTree, context, history: createMemoryHistory() });
const routes = new Map<string, AnyRoute>(Object.entries(routesByPath));

/** Texts that the frame of every page has. */
const everyPage = ['app', 'shared'];

/**
 * Runs the loaders of a page once for each visitor, and records their requests. So no address is written a second time.
 * `fetch` is replaced; nothing is sent.
 */
async function startOf(address: string): Promise<PageStart> {
  const names = new Set(everyPage);
  const calls: PageStart['calls'] = {};
  for (const [visitor, rank] of Object.entries(visitors)) {
    // Texts are loaded once for each language, so every recording has one for which none are loaded yet.
    await startLanguage(`${address} ${visitor}`, async (_, name) => ({ [names.add(name) && name]: '' }), []);
    signIn(rank);
    calls[visitor] = await record((client) => {
      // Queries of every page.
      void client.prefetchQuery(siteQuery);
      void client.prefetchQuery(noticeQuery);
      return Promise.allSettled(optionsAt(address).map((options) => load(options, client)));
    });
  }
  return { calls, texts: await textsOf([...names] as Namespace[]) }; // loaders only name those
}

function signIn(rank: number): void {
  const user = { id: 1, username: '', display_name: '', avatar_url: '', role: rank, status: 1 };
  session.set({ user: rank === role.guest ? undefined : user, ended: undefined });
}

async function load(options: LoaderOptions, queryClient: QueryClient): Promise<void> {
  const { staticData, validateSearch, loaderDeps, loader } = options;
  const search = validateSearch?.({}) ?? {};
  const deps = loaderDeps?.({ search }) ?? {};
  const allowed = mayOpen(staticData?.menu ?? {}, currentUser());
  await loader?.({ context: { queryClient, allowed }, deps });
}

/** Options of a page's route and of those around it. */
function optionsAt(address: string): LoaderOptions[] {
  const found: LoaderOptions[] = [];
  let route = routes.get(address) ?? routes.get(`${address}/`);
  for (; route; route = route.parentRoute as AnyRoute | undefined) found.push(route.options as LoaderOptions);
  return found;
}

/** Addresses that `act` fetches with the client that it gets. */
async function record(act: (client: QueryClient) => Promise<unknown>): Promise<string[]> {
  const fetched = new Set<string>();
  const real = globalThis.fetch;
  globalThis.fetch = (input) => {
    fetched.add(input instanceof Request ? input.url : input.toString());
    return Promise.resolve(Response.json({ success: true, message: '', data: null }));
  };
  try {
    await act(new QueryClient());
    return [...fetched];
  } finally {
    globalThis.fetch = real;
  }
}

async function textsOf(names: Namespace[]): Promise<PageStart['texts']> {
  const each = languages.map(async ({ code, load: loadTable }) => {
    const table = await loadTable();
    const texts = names.map(async (name) => [name, (await table[name]()).texts] as const);
    return [code, Object.fromEntries(await Promise.all(texts))] as const;
  });
  return Object.fromEntries(await Promise.all(each));
}

/** By address: `/`, `/panel/log`. */
export const pageStarts: Record<string, PageStart> = {};
for (const path of routes.keys()) {
  const address = path.replace(/(?<=.)\/$/, '');
  pageStarts[address] = await startOf(address);
}
