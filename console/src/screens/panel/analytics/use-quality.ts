import type { QualityReport } from '@relay-hub/contract';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { qualityQuery, type Shown } from './analytics-api.ts';

/** Speed and failures of what the page shows. */
export type Quality = UseQueryResult<QualityReport>;

/** The report of speed and failures, shared by all cards that ask for it. */
export const useQuality = (page: Shown): Quality => useQuery(qualityQuery(page));
