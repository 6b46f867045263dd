import { announcementApi } from '@relay-hub/contract';
import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import type { SearchFor } from '#api/search-of.ts';

type AnnouncementQuery = SearchFor<typeof announcementApi.list>;

export interface AnnouncementSearch extends AnnouncementQuery {
  /** The form: `new`, or the id of the edited announcement. */
  edit: string;
}

export const announcementPage = (query: AnnouncementQuery) =>
  queryOptions({
    ...apiQuery(announcementApi.list, { query }),
    placeholderData: keepPreviousData,
    // The table shows the error and keeps the old rows.
    meta: { quiet: true },
  });

export const announcementById = (id: number) => apiQuery(announcementApi.get, { params: { id } });

export const refreshAnnouncements = (client: QueryClient): Promise<void> =>
  refresh(client, announcementApi.list, announcementApi.get, announcementApi.current);
