import { priceApi, type Channel } from '@relay-hub/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { refresh } from '#api/api-query.ts';
import { useSession } from '#api/session.ts';
import { storage } from '#api/storage.ts';
import { accountQuery, anyTokenQuery, channelsQuery } from '#screens/panel/dashboard/dashboard-api.ts';

const againMs = 5000;
/** How long the completed list stays visible. */
const finishedMs = 6000;

export interface FirstStepsState {
  /**
   * `unknown` until the account is loaded; content below must not be drawn earlier, since the list would push it
   * down.
   */
  phase: 'unknown' | 'open' | 'closed';
  /** Completed steps; undefined until known. Only administrators have the channel steps. */
  channel: boolean | undefined;
  tested: boolean | undefined;
  /** Whether the balance was empty when the list opened; not for administrators. */
  needsCredit: boolean;
  credit: boolean | undefined;
  token: boolean | undefined;
  called: boolean;
  /** The channel tested last, or any. */
  example: Channel | undefined;
  hide: () => void;
}

/** The first steps with their state. An account that has made a call is past all of them. */
export function useFirstSteps(): FirstStepsState {
  const { user, isAdmin } = useSession();
  const client = useQueryClient();
  const key = `firstSteps:${user?.id ?? 0}`;
  const [closed, setClosed] = useState(() => storage.get(key) !== null);
  const [begun, setBegun] = useState(false);
  const { data: self, isFetched } = useQuery(accountQuery);
  const called = (self?.request_count ?? 0) > 0;
  const [needsCredit, setNeedsCredit] = useState(false);
  if (self && !called && !closed && !begun) {
    setBegun(true);
    setNeedsCredit(!isAdmin && self.quota <= 0);
  }
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
    // Available models depend on what was added; the initial ones came with the page.
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
    needsCredit,
    credit: called || (self && self.quota > 0),
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
