import type { Channel, priceApi, ReplyOf } from '@relay-hub/contract';
import { languageTag } from '#i18n/i18n.ts';

export type Available = ReplyOf<(typeof priceApi)['available']>;

/** Names of the models of a channel; the server keeps their list tidy. */
export const modelsOf = ({ models }: Channel): string[] => models.split(',');

/** The server's word for a model whose maker nobody has named. */
const unknownOwner = 'unknown';

export interface OwnedModels {
  /** Empty where nobody knows. */
  owner: string;
  models: string[];
}

/** The models of each owner, the owner with most first and those without one last; names sorted. */
export function byOwner(available: Available): OwnedModels[] {
  const named = Object.entries(available).map(([model, { owned_by }]) => ({
    model,
    owner: owned_by === unknownOwner ? '' : owned_by,
  }));
  const { compare } = new Intl.Collator(languageTag(), { numeric: true });
  return [...Map.groupBy(named, ({ owner }) => owner)]
    .map(([owner, own]) => ({ owner, models: own.map(({ model }) => model).toSorted(compare) }))
    .toSorted(
      (a, b) =>
        Number(a.owner === '') - Number(b.owner === '') ||
        b.models.length - a.models.length ||
        compare(a.owner, b.owner),
    );
}

/** A model for a first call: of those that talk (their output costs more than their input) the one that costs least. */
export function cheapestTalker(available: Available | undefined): string | undefined {
  return Object.entries(available ?? {})
    .flatMap(([name, { price }]) =>
      price?.type === 'tokens' && price.output > price.input && !name.includes('*') ? [{ name, price }] : [],
    )
    .toSorted((a, b) => a.price.output - b.price.output || a.name.localeCompare(b.name))[0]?.name;
}
