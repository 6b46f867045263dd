import type { SessionUser } from '@relay-hub/contract';
import { rangeSeconds } from '#ui/table/filter.ts';
import type { LedgerFilters } from './ledger-defaults.ts';

/** Users see their own entries, administrators all. */
export interface Reader {
  username: string;
  admin: boolean;
}

export const readerOf = (user: SessionUser | undefined, admin: boolean): Reader => ({
  username: user?.username ?? '',
  admin,
});

/** The one user whose entries are shown; empty: all users. */
export const whoseOf = ({ username }: LedgerFilters, reader: Reader): string =>
  reader.admin ? username : reader.username;

export function queryOf({ time, kind, keyword, username }: LedgerFilters, { admin }: Reader) {
  const own = { ...periodOf({ time }), kind, keyword };
  return admin ? { ...own, username } : own;
}

export function periodOf({ time }: Pick<LedgerFilters, 'time'>) {
  const { start, end } = rangeSeconds(time);
  return { start_timestamp: start, end_timestamp: end };
}
