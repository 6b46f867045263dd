import { priceApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

/** Models that channels serve without a price; for administrators. */
export const unpricedModels = queryOptions({ ...apiQuery(priceApi.unpriced), meta: { quiet: true } });
