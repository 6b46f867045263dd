export const noFilters = { keyword: '', status: 0, created_by: '', redeemed_by: '', time: '' };
export type RedemptionFilter = typeof noFilters;

/** `edit` is `new` or the id of the code whose form is open. */
export const redemptionDefaults = { page: 1, size: 15, order: '-created_time', ...noFilters, edit: '' };
export type RedemptionSearch = typeof redemptionDefaults;
