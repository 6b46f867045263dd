import { priceApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';

/** The models that the visitor can call, with groups and prices. Quiet: screens show the error in place. */
export const availableQuery = { ...apiQuery(priceApi.available), staleTime: 60_000, meta: { quiet: true } };
