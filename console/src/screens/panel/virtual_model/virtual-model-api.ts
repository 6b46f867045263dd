import { type NewVirtualModel, type VirtualModel, virtualModelApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

type VirtualModelQuery = SearchFor<typeof virtualModelApi.list>;

export interface VirtualModelSearch extends VirtualModelQuery {
  /** The form: `new`, or the id of the edited model. */
  edit: string;
}

export const virtualModelPage = (query: VirtualModelQuery) =>
  queryOptions({
    ...apiQuery(virtualModelApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const virtualModelById = (id: number) => apiQuery(virtualModelApi.get, { params: { id } });

export const versionsOf = (id: number) => ({
  ...apiQuery(virtualModelApi.versions, { params: { id } }),
  meta: { quiet: true },
});

export const refreshVirtualModels = (client: QueryClient): Promise<void> =>
  refresh(client, virtualModelApi.list, virtualModelApi.get, virtualModelApi.versions);

/** The fields of a record that a save sends. */
export const savedParts = ({ name, enabled, description, steps, shadow }: VirtualModel): NewVirtualModel => ({
  name,
  enabled,
  description,
  steps,
  shadow,
});
