import { siteApi } from '@relay-hub/contract';
import { apiQuery } from './api-query.ts';

/** The announcement of the site. If it fails, that of the last visit stays. */
export const noticeQuery = { ...apiQuery(siteApi.notice), staleTime: 5 * 60_000, meta: { quiet: true } };
