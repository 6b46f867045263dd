import type { ChannelFilters } from '@relay-hub/contract';

/** The list's filters; the search field covers names. */
export type Narrowing = Omit<ChannelFilters, 'name'>;

export const noChannelFilters: Narrowing = {
  keyword: '',
  status: 0,
  type: 0,
  group: '',
  tag: '',
  filter_tag: '',
  trouble: 0,
  models: '',
  test_model: '',
  other: '',
  key: '',
};
