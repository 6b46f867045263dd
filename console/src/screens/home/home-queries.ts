import { priceApi, siteApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';
import { cachedText } from '#api/cached-text.ts';

/** The operator's home page; empty if there is none. */
export const homeQuery = cachedText(siteApi.home, 'home_page_content');

/** The available models with owner and price. */
export const availableQuery = { ...apiQuery(priceApi.available), staleTime: 60_000 };
