import type { ChannelFilters } from '@relay-hub/contract';
import { narrowingOf, type ChannelQuery } from './channel-api.ts';

/** The list's filters in the form that batch changes take. */
export const filterOf = (query: ChannelQuery): ChannelFilters => ({ ...narrowingOf(query), name: '' });
