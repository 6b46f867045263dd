import { useSyncExternalStore } from 'react';
/** The site's format for amounts: `display_in_currency` and `quota_per_unit` of the site information. */
export interface MoneyFormat {
  inCurrency: boolean;
  /** Credits in one dollar. */
  quotaPerUnit: number;
}

export const defaultMoneyFormat: MoneyFormat = { inCurrency: true, quotaPerUnit: 500_000 };

let current = defaultMoneyFormat;
const readers = new Set<() => void>();

/** Called by the app when the site information is loaded; updates every amount on the page. */
export function setSiteFormat(next: MoneyFormat): void {
  if (next.inCurrency === current.inCurrency && next.quotaPerUnit === current.quotaPerUnit) return;
  current = {
    inCurrency: next.inCurrency,
    quotaPerUnit: next.quotaPerUnit > 0 ? next.quotaPerUnit : defaultMoneyFormat.quotaPerUnit,
  };
  for (const read of readers) read();
}

export const siteFormat = (): MoneyFormat => current;

// A stable function: a new one per render would make every amount subscribe again.
function subscribe(read: () => void): () => void {
  readers.add(read);
  return () => readers.delete(read);
}

export const useSiteFormat = (): MoneyFormat => useSyncExternalStore(subscribe, siteFormat);
