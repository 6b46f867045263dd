import { channelApi, type ChannelType } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiQuery } from './api-query.ts';

export const channelTypes = { ...apiQuery(channelApi.types), staleTime: 10 * 60_000 };

/** Title and mark of each channel type, for administrators; undefined until loaded. */
export function useChannelTypes(): ReadonlyMap<number, Pick<ChannelType, 'title' | 'mark'>> | undefined {
  const { data } = useQuery({ ...channelTypes, meta: { quiet: true } });
  return useMemo(() => data && new Map(data.map((each) => [each.type, each])), [data]);
}
