/** The list's state in the address. */
export interface LedgerSearch {
  page: number;
  size: number;
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  /** One kind, or several separated by commas; empty: all. */
  kind: string;
  keyword: string;
  /** For administrators: the user whose entries are shown; empty: all users. */
  username: string;
  /** Whether the correction form is open. */
  adjust: boolean;
}

export const noLedgerFilters = { time: '', kind: '', keyword: '', username: '' };
export type LedgerFilters = typeof noLedgerFilters;

export const ledgerDefaults: LedgerSearch = {
  page: 1,
  size: 30,
  order: '-created_time',
  ...noLedgerFilters,
  adjust: false,
};
