import { priceApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from './api-query.ts';

/** Names with a price or a channel, patterns included. */
export const modelNames = queryOptions({ ...apiQuery(priceApi.names), staleTime: 60_000, meta: { quiet: true } });
