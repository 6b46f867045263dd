import { logCleanupApi, optionApi, siteApi, userGroupApi, type Option } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';

/** New values of settings; null puts one back to its default, and deletes a secret. */
export type Values = Readonly<Record<string, string | null>>;

export const optionsQuery = queryOptions({
  ...apiQuery(optionApi.list),
  staleTime: 0,
  // The page shows what went wrong; what was typed must not be lost to somebody else's change.
  meta: { quiet: true },
});

export const historyQuery = (key: string, page: number) =>
  queryOptions({
    ...apiQuery(optionApi.history, { query: { key, page, size: 20 } }),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });

export const cleanupQuery = queryOptions({
  ...apiQuery(logCleanupApi.progress),
  refetchInterval: ({ state }) => (state.data?.state === 'running' ? 1000 : false),
});

export const saveOptions = (values: Values): Promise<unknown> => call(optionApi.setMany, { body: { values } });

/** Fetches again whatever a change of settings shows in. */
export const refreshOptions = (client: QueryClient): Promise<void> =>
  refresh(
    client,
    optionApi.list,
    optionApi.history,
    siteApi.status,
    siteApi.notice,
    siteApi.about,
    siteApi.home,
    userGroupApi.list,
    userGroupApi.map,
  );

export type Options = ReadonlyMap<string, Option>;

export const byKey = (options: readonly Option[]): Options => new Map(options.map((option) => [option.key, option]));
