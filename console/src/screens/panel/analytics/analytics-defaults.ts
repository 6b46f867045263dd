/** The screen's state in the address, under the API's names. */
export const analyticsDefaults = {
  days: 7,
  /** `YYYY-MM-DD`; with dates set, `days` is ignored. */
  from: '',
  to: '',
  step: '',
  by: 'model',
  username: '',
  channel_id: 0,
  /** Of the own usage. */
  token_id: 0,
};
export type AnalyticsSearch = typeof analyticsDefaults;
