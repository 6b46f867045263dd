/** The list's state as it stands in the address. */
export interface LedgerSearch {
  page: number;
  size: number;
  order: string;
  /** A preset, so that "today" stays today, or two dates; see `rangeSeconds`. */
  time: string;
  /** One kind, or several with commas between them; empty: all. */
  kind: string;
  keyword: string;
  /** For administrators: whose entries; empty: everybody's. */
  username: string;
  /** The form that corrects the balance is open. */
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
