import type { Channel, priceApi, ReplyOf } from '@relay-hub/contract';
import { languageTag } from '#i18n/i18n.ts';

export type Available = ReplyOf<(typeof priceApi)['available']>;

/** The channel's model names; the server normalizes the list. */
export const modelsOf = ({ models }: Channel): string[] => models.split(',');

/** The server's key for models without an owner. */
const unknownOwner = 'unknown';

export interface OwnedModels {
  /** Empty if unknown. */
  owner: string;
  models: string[];
}

/** Models by owner, largest owner first and models without one last; names sorted. */
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

/** The cheapest chat model for a first call. Chat models are those whose output costs more than their input. */
export function cheapestChatModel(available: Available | undefined): string | undefined {
  return Object.entries(available ?? {})
    .flatMap(([name, { price }]) =>
      price?.type === 'tokens' && price.output > price.input && !name.includes('*') ? [{ name, price }] : [],
    )
    .toSorted((a, b) => a.price.output - b.price.output || a.name.localeCompare(b.name))[0]?.name;
}
