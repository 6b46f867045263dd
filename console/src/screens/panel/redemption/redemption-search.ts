import { rangeSeconds } from '#ui/table/filter.ts';
import { maskOf } from './redemption-state.ts';
import type { RedemptionFilter } from './redemption-defaults.ts';

export function queryOf({ keyword, status, created_by, redeemed_by, time }: RedemptionFilter) {
  const { start, end } = rangeSeconds(time);
  return { keyword, status, created_by, redeemed_by, start_timestamp: start, end_timestamp: end };
}

/** Masks a whole code in the search text: codes must not get into addresses. */
export const withMaskedCode = (filter: RedemptionFilter): RedemptionFilter => ({
  ...filter,
  keyword: maskOf(filter.keyword),
});
