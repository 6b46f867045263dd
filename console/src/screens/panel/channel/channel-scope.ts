import type { ChannelFilters } from '@relay-hub/contract';
import type { ChannelQuery } from './channel-api.ts';

/** The channels that a list shows, as a change names them. */
export function filterOf({ keyword, status, type, group, tag, filter_tag, trouble }: ChannelQuery): ChannelFilters {
  return {
    keyword,
    status,
    type,
    group,
    tag,
    filter_tag,
    trouble,
    name: '',
    models: '',
    other: '',
    test_model: '',
    key: '',
  };
}
