import { ownOrderApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';

/** The payment methods that the site offers. */
export const gatewaysQuery = { ...apiQuery(ownOrderApi.gateways), meta: { quiet: true }, staleTime: 60_000 };
