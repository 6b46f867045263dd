/** What is shown, as it stands in the address; names are those of the API. */
export const analyticsDefaults = {
  days: 7,
  /** `YYYY-MM-DD`; where there are dates, `days` says nothing. */
  from: '',
  to: '',
  step: '',
  by: 'model',
  username: '',
  channel_id: 0,
};
export type AnalyticsSearch = typeof analyticsDefaults;
