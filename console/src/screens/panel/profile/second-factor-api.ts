import { passkeyApi, totpApi } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { apiQuery } from '#api/api-query.ts';

/** The cards show their own failures. */
const quiet = { meta: { quiet: true } };

export const twoStepQuery = queryOptions({ ...apiQuery(totpApi.get), ...quiet });
export const passkeysQuery = queryOptions({ ...apiQuery(passkeyApi.list), ...quiet });
