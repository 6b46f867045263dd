import { planAdminApi, planApi } from '@relay-hub/contract';
import { apiQuery } from '#api/api-query.ts';

/** The plans on sale. A failure is shown in their place. */
export const offersQuery = { ...apiQuery(planApi.offers), meta: { quiet: true }, staleTime: 30_000 };

/** Every plan, for administrators; screens show its failure themselves. */
export const planList = { ...apiQuery(planAdminApi.list), meta: { quiet: true } };
