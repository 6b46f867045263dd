import type { ChannelFilters } from '@relay-hub/contract';
import { narrowingOf, type ChannelQuery } from './channel-api.ts';

/** The channels that a list shows, as a change names them. */
export const filterOf = (query: ChannelQuery): ChannelFilters => ({ ...narrowingOf(query), name: '' });
