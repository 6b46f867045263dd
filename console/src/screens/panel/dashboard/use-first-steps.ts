import { priceApi, type Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { accountQuery, anyTokenQuery, channelsQuery } from './dashboard-api.ts';

const againMs = 5000;
/** How long the finished list stays to be seen. */
const finishedMs = 6000;

export interface FirstSteps {
  /** `unknown` until the account has been read; what is drawn below before that would be pushed down. */
  phase: 'unknown' | 'open' | 'closed';
  /** Which steps are done; undefined while nobody knows. Users have no channels to see to. */
  channel: boolean | undefined;
  tested: boolean | undefined;
  token: boolean | undefined;
  called: boolean;
  /** The channel that was tested last, or just one. */
  example: Channel | undefined;
  hide: () => void;
}

/** What a new account has still to do. Whoever has made a call is through, whichever way it was. */
export function useFirstSteps(): FirstSteps {
  const { user, isAdmin } = useSession();
  const client = useQueryClient();
  const key = `firstSteps:${user?.id ?? 0}`;
  const [closed, setClosed] = useState(() => storage.get(key) !== null);
  const [begun, setBegun] = useState(false);
  const { data: self, isFetched } = useQuery(accountQuery);
  const called = (self?.request_count ?? 0) > 0;
  if (self && !called && !closed && !begun) setBegun(true);
  const open = begun && !closed;

  const channels = useQuery({
    ...channelsQuery,
    enabled: open && isAdmin,
    refetchInterval: ({ state: { data } }) => !called && !data?.data.some(isTested) && againMs,
  });
  const tokens = useQuery({
    ...anyTokenQuery,
    enabled: open,
    refetchInterval: ({ state: { data } }) => !called && !data?.total_count && againMs,
  });
  const example = channels.data?.[0];

  const known = channels.data?.length;
  const before = useRef<number>(undefined);
  useEffect(() => {
    // What can be called follows what was added; the first reading came with the page.
    if (before.current !== undefined && known !== before.current) void refresh(client, priceApi.available);
    before.current = known;
  }, [client, known]);

  useEffect(() => {
    if (!called || closed) return;
    storage.set(key, 'done');
    const timer = setTimeout(() => setClosed(true), begun ? finishedMs : 0);
    return () => clearTimeout(timer);
  }, [called, closed, begun, key]);

  return {
    phase: open ? 'open' : closed || called || isFetched ? 'closed' : 'unknown',
    channel: called || (channels.data && channels.data.length > 0),
    tested: called || (channels.data && isTested(example)),
    token: called || (tokens.data && tokens.data.total_count > 0),
    called,
    example,
    hide: () => {
      storage.set(key, 'hidden');
      setClosed(true);
    },
  };
}

const isTested = (channel: Channel | undefined) => (channel?.test_time ?? 0) > 0;
