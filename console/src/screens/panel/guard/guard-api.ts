import { type GuardRule, guardApi, type NewGuardRule } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

type GuardQuery = SearchFor<typeof guardApi.list>;

export interface GuardSearch extends GuardQuery {
  /** The form: `new`, or the id of the edited rule. */
  edit: string;
}

export const guardPage = (query: GuardQuery) =>
  queryOptions({
    ...apiQuery(guardApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const guardById = (id: number) => apiQuery(guardApi.get, { params: { id } });

export const refreshGuards = (client: QueryClient): Promise<void> => refresh(client, guardApi.list, guardApi.get);

/** The fields of a record that a save sends. */
export const savedParts = ({ id: _id, updated_time: _time, updated_by: _by, ...fields }: GuardRule): NewGuardRule =>
  fields;
