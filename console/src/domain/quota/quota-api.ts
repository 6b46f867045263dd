import { ledgerApi, logApi, userAdminApi, userApi, type LedgerEntry } from '@relay-hub/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { noCalls } from '#domain/channel/no-calls.ts';

/** A user's balance, and what was spent since a moment. Never an old copy: calls go on. */
export const balanceQuery = (userId: number, since: number) =>
  queryOptions({
    ...apiQuery(ledgerApi.totals, { query: { user_id: userId, start_timestamp: since } }),
    staleTime: 0,
  });

/** The newest changes of a balance that somebody made, or that were paid for. */
export const earlierQuery = (userId: number) =>
  queryOptions({
    ...apiQuery(ledgerApi.list, {
      query: { user_id: userId, kind: noCalls, size: 4 },
    }),
    staleTime: 0,
    // Its place says that it could not be read.
    meta: { quiet: true },
  });

interface Correction {
  userId: number;
  credits: number;
  remark: string;
  reference: string;
}

export const correctQuota = ({ userId, credits, remark, reference }: Correction): Promise<LedgerEntry> =>
  call(ledgerApi.correct, { params: { id: userId }, body: { quota: credits, remark, reference } });

/** A key for a change that is to be made once, however often it is sent. */
export const newReference = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Whatever shows a balance or what moved it. */
export const refreshBalances = (client: QueryClient): Promise<void> =>
  refresh(
    client,
    ledgerApi.list,
    ledgerApi.ownList,
    ledgerApi.totals,
    ledgerApi.ownTotals,
    userAdminApi.list,
    userAdminApi.get,
    userApi.self,
    logApi.list,
    logApi.ownList,
  );
