import { rangeSeconds, type FilterValues } from '#ui/table/filter.ts';
import { maskOf } from './redemption-state.ts';
import type { RedemptionFilter } from './redemption-defaults.ts';

/** What of the address is the filter. */
export const filterOf = ({ keyword, status, created_by, redeemed_by, time }: RedemptionFilter): RedemptionFilter => ({
  keyword,
  status,
  created_by,
  redeemed_by,
  time,
});

/** The filter as the API takes it. */
export function queryOf({ keyword, status, created_by, redeemed_by, time }: RedemptionFilter) {
  const { start, end } = rangeSeconds(time);
  return { keyword, status, created_by, redeemed_by, start_timestamp: start, end_timestamp: end };
}

/** The filter after a change by the toolbar, where what was cleared is undefined. */
export function changed(filter: RedemptionFilter, change: FilterValues): RedemptionFilter {
  const text = (name: keyof RedemptionFilter) => String((name in change ? change[name] : filter[name]) ?? '');
  return {
    // A code that is searched for must not stand in the address.
    keyword: maskOf(text('keyword')),
    status: Number(text('status')),
    created_by: text('created_by'),
    redeemed_by: text('redeemed_by'),
    time: text('time'),
  };
}
