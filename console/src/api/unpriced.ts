import { priceApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

/** Models that channels serve and that have no price of their own; administrators may ask. */
export const unpricedModels = queryOptions({ ...apiQuery(priceApi.unpriced), meta: { quiet: true } });
