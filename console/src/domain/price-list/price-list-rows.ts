import type { priceApi, ReplyOf, UserGroup } from '@relay-hub/contract';
import type { PriceListSearch } from './price-list-search.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

export interface PricedModel {
  model: string;
  /** Empty if the owner is unknown. */
  owner: string;
  /** Symbols of the groups that can call the model. */
  groups: string[];
  /** Published context length in tokens; undefined if unknown. */
  context: number | undefined;
  price: Available[string]['price'];
  /** The models of a virtual model; undefined: it is a model. */
  chain: Available[string]['chain'];
}

/** The server's name for an unknown owner. */
const unknownOwner = 'unknown';

/** Available models, sorted by owner (unknown owners last) and name. */
export function pricedModels(available: Available | undefined, language: string): PricedModel[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  return Object.entries(available ?? {})
    .map(([model, { groups, owned_by, context, price, chain }]) => ({
      model,
      owner: owned_by === unknownOwner ? '' : owned_by,
      groups,
      context,
      price,
      chain,
    }))
    .toSorted(
      (a, b) =>
        Number(a.owner === '') - Number(b.owner === '') || compare(a.owner, b.owner) || compare(a.model, b.model),
    );
}

type ModelFilter = Pick<PriceListSearch, 'keyword' | 'owner' | 'type'>;

/** Models that match: every word of the keyword must occur in the name of the model or of its owner. */
export function findModels(models: readonly PricedModel[], { keyword, owner, type }: ModelFilter): PricedModel[] {
  const words = keyword.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(
    (each) =>
      (owner === '' || each.owner === ownerOf(owner)) &&
      (type === '' || each.price.type === type) &&
      words.every((word) => `${each.model} ${each.owner}`.toLowerCase().includes(word)),
  );
}

/** The unknown owner in the address, where an empty value means all owners. */
export const noOwner = '-';
export const ownerOf = (value: string): string => (value === noOwner ? '' : value);
export const ownerValue = (owner: string): string => (owner === '' ? noOwner : owner);

export interface OwnerCount {
  owner: string;
  count: number;
}

/** Number of models per owner, in the order of the list. */
export function countOwners(models: readonly PricedModel[]): OwnerCount[] {
  const counts = new Map<string, number>();
  for (const { owner } of models) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts].map(([owner, count]) => ({ owner, count }));
}

/** The group whose prices are shown: the requested one, else the user's own, else `default`, else any. */
export function chooseGroup(
  groups: Readonly<Record<string, UserGroup>>,
  requested: string,
  own: string | undefined,
): UserGroup | undefined {
  return groups[requested] ?? groups[own ?? ''] ?? groups['default'] ?? Object.values(groups)[0];
}

/** The newest price: its version, and the Unix seconds since when it applies. */
export function newestVersion(models: readonly PricedModel[]): { version: number; from: number } | undefined {
  return models.reduce<{ version: number; from: number } | undefined>((newest, { price }) => {
    const { version, valid_from: from } = price ?? {};
    if (version === undefined || from === undefined || version <= (newest?.version ?? 0)) return newest;
    return { version, from };
  }, undefined);
}

/** Group names as a localized list; the symbol for a group that the user cannot see. */
export function groupNames(
  symbols: readonly string[],
  groups: Readonly<Record<string, UserGroup>>,
  language: string,
): string {
  return new Intl.ListFormat(language).format(symbols.map((symbol) => groups[symbol]?.name ?? symbol));
}
