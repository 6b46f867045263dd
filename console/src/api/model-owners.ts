import { priceApi, type ModelOwner, type PriceInput } from '@relay-hub/contract';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { apiQuery } from './api-query.ts';
import { useOwners } from './owners.ts';

/** The prices in force. Quiet: screens only take icons from them. */
export const pricesQuery = { ...apiQuery(priceApi.list, { query: {} }), staleTime: 10 * 60_000, meta: { quiet: true } };

const none: PriceInput[] = [];

/** Finds a model's owner by its price; undefined for models without a price and until prices are loaded. */
export function useModelOwners(): (model: string) => ModelOwner | undefined {
  const owners = useOwners();
  const prices = useQuery(pricesQuery).data ?? none;
  return useMemo(() => {
    const byId = new Map(owners.map((owner) => [owner.id, owner]));
    const exact = new Map(prices.map((price) => [price.model, price.channel_type]));
    const beginnings = prices
      .filter(({ model }) => model.endsWith('*'))
      .map((price) => ({ start: price.model.slice(0, -1), owner: price.channel_type }))
      .toSorted((a, b) => b.start.length - a.start.length);
    return (model) => byId.get(exact.get(model) ?? beginnings.find(({ start }) => model.startsWith(start))?.owner ?? 0);
  }, [owners, prices]);
}
