import type { ChannelSearch } from './channel-api.ts';
import { noChannelFilters } from './list/channel-filters.ts';

export const channelDefaults: ChannelSearch = {
  page: 1,
  size: 30,
  order: 'trouble',
  ...noChannelFilters,
  view: 'list',
  tags: 'tag',
  show: 0,
  edit: '',
  ask: '',
  copy: 0,
  kin: '',
  why: 0,
  why_model: '',
  why_group: '',
  why_needs: '',
  why_session: '',
  why_token: 0,
  why_api: '',
  why_tokens: 0,
};
