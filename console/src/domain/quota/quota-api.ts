import { ledgerApi, logApi, userAdminApi, userApi, type LedgerEntry } from '@relay-hub/contract';
import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { apiQuery, refresh } from '#api/api-query.ts';
import { call } from '#api/call.ts';
import { movementKinds } from '#domain/ledger/movement-kinds.ts';

/** A user's balance, and the amount spent since a time. Never from the cache: calls go on. */
export const balanceQuery = (userId: number, since: number) =>
  queryOptions({
    ...apiQuery(ledgerApi.totals, { query: { user_id: userId, start_timestamp: since } }),
    staleTime: 0,
  });

/** The latest changes of a balance, except charges of calls. */
export const earlierQuery = (userId: number) =>
  queryOptions({
    ...apiQuery(ledgerApi.list, {
      query: { user_id: userId, kind: movementKinds, size: 4 },
    }),
    staleTime: 0,
    // The component shows the failure itself.
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

/** An idempotency key: 128 random bits as hex. */
export const newReference = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Invalidates queries with balances and ledger entries. */
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
