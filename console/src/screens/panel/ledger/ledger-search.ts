import type { SessionUser } from '@relay-hub/contract';
import { rangeSeconds, type FilterValues } from '#ui/table/filter.ts';
import type { LedgerFilters } from './ledger-defaults.ts';

/** Who looks: users see their own entries, administrators anybody's. */
export interface Reader {
  username: string;
  admin: boolean;
}

export const readerOf = (user: SessionUser | undefined, admin: boolean): Reader => ({
  username: user?.username ?? '',
  admin,
});

/** The one user whose entries are shown; empty: everybody's. */
export const whoseOf = ({ username }: LedgerFilters, reader: Reader): string =>
  reader.admin ? username : reader.username;

/** The filters as the API takes them. */
export function queryOf({ time, kind, keyword, username }: LedgerFilters, { admin }: Reader) {
  const own = { ...periodOf({ time }), kind, keyword };
  return admin ? { ...own, username } : own;
}

export function periodOf({ time }: Pick<LedgerFilters, 'time'>) {
  const { start, end } = rangeSeconds(time);
  return { start_timestamp: start, end_timestamp: end };
}

/** Filters after a change by the toolbar, where a filter that was cleared is undefined. */
export function changed(filters: LedgerFilters, change: FilterValues): LedgerFilters {
  const value = (name: keyof LedgerFilters) => String((name in change ? change[name] : filters[name]) ?? '');
  return { time: value('time'), kind: value('kind'), keyword: value('keyword'), username: value('username') };
}
