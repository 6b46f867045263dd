import { groupPrices, priceSources, type ModelOwner, type Price, type PriceGroup } from '@relay-hub/contract';
import type { PricingSearch } from './pricing-defaults.ts';

export type PricingFilter = Pick<PricingSearch, 'keyword' | 'type' | 'owner' | 'source'>;
export type PricingOrder = Pick<PricingSearch, 'page' | 'size' | 'order'>;

export const noFilter: PricingFilter = { keyword: '', type: '', owner: 0, source: '' };

/** Filter value for models without an owner. */
export const unknownOwner = -1;

/** The prices matching the filters; every search word must occur in the model's or its owner's name. */
export function findPrices(
  prices: readonly Price[],
  { keyword, type, owner, source }: PricingFilter,
  owners: readonly ModelOwner[],
): Price[] {
  const names = new Map(owners.map(({ id, name }) => [id, name]));
  const words = keyword.toLowerCase().split(/\s+/).filter(Boolean);
  return prices.filter((price) => {
    const text = `${price.model} ${names.get(price.channel_type) ?? ''}`.toLowerCase();
    const byOwner = owner === unknownOwner ? !names.has(price.channel_type) : price.channel_type === owner;
    return (
      (owner === 0 || byOwner) &&
      (type === '' || price.type === type) &&
      (source === '' || price.source === source || !isSource(source)) &&
      words.every((word) => text.includes(word))
    );
  });
}

const isSource = (text: string): boolean => priceSources.some((source) => source === text);

interface Sortable {
  model: string;
  type: string;
  input: number;
  output: number;
  channel_type: number;
  /** The newest version among the group's prices. */
  version: number;
  models: number;
}

type Sorter = (a: Sortable, b: Sortable) => number;

/** Comparison for a sortable column, by column id. */
function sorterOf(name: string, compare: (a: string, b: string) => number): Sorter {
  switch (name) {
    case 'type':
      return (a, b) => compare(a.type, b.type);
    case 'input':
    case 'output':
    case 'channel_type':
    case 'version':
    case 'models':
      return (a, b) => a[name] - b[name];
    default:
      return (a, b) => compare(a.model, b.model);
  }
}

/** One page of rows sorted by `order` (`-input`), then by name. */
export function pageOfSorted<Row>(
  rows: readonly Row[],
  { page, size, order }: PricingOrder,
  keyOf: (row: Row) => Sortable,
  language: string,
): { data: Row[]; total_count: number } {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const descending = order.startsWith('-');
  const sort = sorterOf(order.replace(/^-/, ''), compare);
  const keyed = rows.map((row) => ({ row, key: keyOf(row) }));
  const sorted = keyed.toSorted(
    (a, b) => (descending ? -1 : 1) * sort(a.key, b.key) || compare(a.key.model, b.key.model),
  );
  const start = (page - 1) * size;
  return { data: sorted.slice(start, start + size).map(({ row }) => row), total_count: rows.length };
}

export const keyOfPrice = (price: Price): Sortable => ({ ...price, models: 1 });

export type OwnPriceGroup = PriceGroup<Price>;

export const keyOfGroup = ({ prices, models, ...terms }: OwnPriceGroup): Sortable => ({
  ...terms,
  model: models[0] ?? '',
  models: models.length,
  version: Math.max(...prices.map(({ version }) => version)),
});

export const mergePrices = (prices: readonly Price[]): OwnPriceGroup[] => groupPrices(prices);

/** The prices that a form opens for; undefined if none has that name. */
export function pricesFor(edit: string, prices: readonly Price[]): Price[] | undefined {
  if (edit === 'new' || edit.startsWith('new:')) return [];
  const model = edit.replace(/^group:/, '');
  if (model !== edit) return mergePrices(prices).find(({ models }) => models.includes(model))?.prices;
  const price = prices.find((each) => each.model === edit);
  return price && [price];
}

export interface PriceUnit {
  currency: 'USD' | 'CNY';
  /** Tokens; 1000 also for prices by call. */
  per: 1000 | 1_000_000;
}

export const unitKeys = ['USD1K', 'USD1M', 'CNY1K', 'CNY1M'] as const;

export const unitOf = (key: string): PriceUnit => ({
  currency: key.startsWith('CNY') ? 'CNY' : 'USD',
  per: key.endsWith('1K') ? 1000 : 1_000_000,
});

/** `$ / 1M` */
export const unitText = ({ currency, per }: PriceUnit): string =>
  `${currency === 'CNY' ? '¥' : '$'} / ${per === 1000 ? '1K' : '1M'}`;
