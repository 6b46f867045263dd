import { launchApi, logCleanupApi, optionApi, siteApi, userGroupApi, type Option } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';

/** New values of settings; null restores a default, and deletes a secret. */
export type Values = Readonly<Record<string, string | null>>;

export const optionsQuery = queryOptions({
  ...apiQuery(optionApi.list),
  staleTime: 0,
  // The page shows the error. No refetch on focus: another administrator's change must not replace typed text.
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
    // The user may already be back at the dashboard, with the list from before the change.
    launchApi.get,
  );

export type Options = ReadonlyMap<string, Option>;

export const byKey = (options: readonly Option[]): Options => new Map(options.map((option) => [option.key, option]));
