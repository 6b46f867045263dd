import { blockApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

type BlockQuery = SearchFor<typeof blockApi.list>;

export interface BlockSearch extends BlockQuery {
  /** The form: `new`, or the id of the edited block. */
  edit: string;
  /** Start values of a new block, as a log row gives them. */
  network: string;
  reason: string;
}

export const blockPage = (query: BlockQuery) =>
  queryOptions({
    ...apiQuery(blockApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const blockById = (id: number) => apiQuery(blockApi.get, { params: { id } });

export const refreshBlocks = (client: QueryClient): Promise<void> => refresh(client, blockApi.list, blockApi.get);
