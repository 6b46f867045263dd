import { ledgerApi, type LedgerTotals, type ReplyOf } from '@relay-hub/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from '#api/call.ts';
import { csvAddress } from '#list/csv-address.ts';
import type { LedgerFilters, LedgerSearch } from './ledger-defaults.ts';
import { periodOf, queryOf, type Reader } from './ledger-search.ts';

// The list and the sums show their own failures.
const meta = { quiet: true };

export type LedgerPage = ReplyOf<typeof ledgerApi.list>;

export function ledgerPage({ page, size, order, ...filters }: LedgerSearch, reader: Reader) {
  const query = { page, size, order, ...queryOf(filters, reader) };
  const { path } = reader.admin ? ledgerApi.list : ledgerApi.ownList;
  return queryOptions({
    queryKey: [path, { query }],
    queryFn: ({ signal }): Promise<LedgerPage> =>
      reader.admin ? call(ledgerApi.list, { query, signal }) : call(ledgerApi.ownList, { query, signal }),
    meta,
  });
}

/** Balance of the one user shown, and the period's entries by kind. */
export function ledgerTotals(filters: LedgerFilters, reader: Reader) {
  const query = { ...periodOf(filters), ...(reader.admin && { username: filters.username }) };
  const { path } = reader.admin ? ledgerApi.totals : ledgerApi.ownTotals;
  return queryOptions({
    queryKey: [path, { query }],
    queryFn: ({ signal }): Promise<LedgerTotals> =>
      reader.admin ? call(ledgerApi.totals, { query, signal }) : call(ledgerApi.ownTotals, { query, signal }),
    meta,
  });
}

export async function countEntries(filters: LedgerFilters, reader: Reader): Promise<number> {
  const query = { size: 1, ...queryOf(filters, reader) };
  const page = await (reader.admin ? call(ledgerApi.list, { query }) : call(ledgerApi.ownList, { query }));
  return page.total_count;
}

/** Address of a CSV file with all entries that the filters find. */
export function downloadAddress({ order, ...filters }: LedgerFilters & { order: string }, reader: Reader): string {
  const { path } = reader.admin ? ledgerApi.download : ledgerApi.ownDownload;
  const { start_timestamp: start, end_timestamp: end, ...query } = queryOf(filters, reader);
  return csvAddress(path, { ...query, order, start_timestamp: start || '', end_timestamp: end || '' });
}
