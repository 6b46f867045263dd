import type { priceApi, ReplyOf, UserGroup } from '@relay-hub/contract';
import type { PriceListSearch } from './price-list-search.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

export interface PricedModel {
  model: string;
  /** Empty where nobody knows who makes it. */
  owner: string;
  /** Symbols of the groups that can call it. */
  groups: string[];
  price: Available[string]['price'];
}

/** The server's word for a model whose maker nobody has named. */
const unknownOwner = 'unknown';

/** Models that can be called: by owner, those of nobody last, and by name. */
export function pricedModels(available: Available | undefined, language: string): PricedModel[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return Object.entries(available ?? {})
    .map(([model, { groups, owned_by, price }]) => ({
      model,
      owner: owned_by === unknownOwner ? '' : owned_by,
      groups,
      price,
    }))
    .toSorted(
      (a, b) =>
        Number(a.owner === '') - Number(b.owner === '') || compare(a.owner, b.owner) || compare(a.model, b.model),
    );
}

type Wanted = Pick<PriceListSearch, 'keyword' | 'owner' | 'type'>;

/** Those that a search leaves; every word of it must be in the model's name or its owner's. */
export function findModels(models: readonly PricedModel[], { keyword, owner, type }: Wanted): PricedModel[] {
  const words = keyword.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(
    (each) =>
      (owner === '' || each.owner === ownerOf(owner)) &&
      (type === '' || each.price.type === type) &&
      words.every((word) => `${each.model} ${each.owner}`.toLowerCase().includes(word)),
  );
}

/** In the address, where empty means every owner, the models of nobody have a name as well. */
export const nobody = '-';
export const ownerOf = (value: string): string => (value === nobody ? '' : value);
export const ownerValue = (owner: string): string => (owner === '' ? nobody : owner);

export interface OwnerCount {
  owner: string;
  count: number;
}

/** How many models each owner has, in the order of the list. */
export function countOwners(models: readonly PricedModel[]): OwnerCount[] {
  const counts = new Map<string, number>();
  for (const { owner } of models) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].map(([owner, count]) => ({ owner, count }));
}

/** The group whose prices are shown: the one asked for, else the reader's own, else `default`, else any. */
export function chooseGroup(
  groups: Readonly<Record<string, UserGroup>>,
  asked: string,
  own: string | undefined,
): UserGroup | undefined {
  return groups[asked] ?? groups[own ?? ''] ?? groups['default'] ?? Object.values(groups)[0];
}

/** The newest price among some: its version, and since when. */
export function newestVersion(models: readonly PricedModel[]): { version: number; from: number } | undefined {
  return models.reduce<{ version: number; from: number } | undefined>((newest, { price }) => {
    const { version, valid_from: from } = price ?? {};
    if (version === undefined || from === undefined || version <= (newest?.version ?? 0)) return newest;
    return { version, from };
  }, undefined);
}

/** Groups by their names, as a list in words; one that the reader may not see keeps its symbol. */
export function groupNames(
  symbols: readonly string[],
  groups: Readonly<Record<string, UserGroup>>,
  language: string,
): string {
  return new Intl.ListFormat(language).format(symbols.map((symbol) => groups[symbol]?.name ?? symbol));
}
