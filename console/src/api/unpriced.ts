import { priceApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

/** Prices without a fee that they need, or with holidays that end; for administrators. */
export const priceGaps = queryOptions({ ...apiQuery(priceApi.gaps), meta: { quiet: true } });

/** Models that channels serve without a price; for administrators. */
export const unpricedModels = queryOptions({ ...apiQuery(priceApi.unpriced), meta: { quiet: true } });
