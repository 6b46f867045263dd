import type { PriceUnit } from '@relay-hub/contract';

/** The search parameters of a price list. */
export interface PriceListSearch {
  keyword: string;
  /** Empty: the user's own group. */
  group: string;
  /** Empty: all owners. */
  owner: string;
  type: '' | 'tokens' | 'times';
  currency: 'USD' | 'CNY';
  per: '1K' | '1M';
  /** The model whose calculator is open; empty: none. */
  calculate: string;
}

export const priceListDefaults: PriceListSearch = {
  keyword: '',
  group: '',
  owner: '',
  type: '',
  currency: 'USD',
  per: '1M',
  calculate: '',
};

export const unitOf = ({ currency, per }: Pick<PriceListSearch, 'currency' | 'per'>): PriceUnit => ({
  currency: currency === 'CNY' ? 'CNY' : 'USD',
  per: per === '1K' ? 1000 : 1_000_000,
});
