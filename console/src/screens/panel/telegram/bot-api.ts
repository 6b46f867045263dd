import { botApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

type BotMenuQuery = SearchFor<typeof botApi.list>;

export interface BotMenuSearch extends BotMenuQuery {
  /** The form: `new`, or the id of the edited command. */
  edit: string;
}

export const botMenuPage = (query: BotMenuQuery) =>
  queryOptions({
    ...apiQuery(botApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const botMenuEntryById = (id: number) => apiQuery(botApi.get, { params: { id } });

export const botStatusQuery = queryOptions({ ...apiQuery(botApi.status), meta: { quiet: true } });

export const refreshBot = (client: QueryClient): Promise<void> =>
  refresh(client, botApi.list, botApi.get, botApi.status);
