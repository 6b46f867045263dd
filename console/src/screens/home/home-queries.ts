import { priceApi, siteApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';
import { keptText } from '#api/kept-text.ts';

/** What the operator put in the place of the built-in home; empty where there is nothing. */
export const homeQuery = keptText(siteApi.home, 'home_page_content');

/** The models that can be called, with owner and price. */
export const availableQuery = { ...apiQuery(priceApi.available), staleTime: 60_000 };
