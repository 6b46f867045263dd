import type { priceApi, PriceInput, ReplyOf } from '@relay-hub/contract';
import { languageTag } from '#i18n/i18n.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

export interface Model {
  name: string;
  owner: string;
  price: PriceInput | null;
}

/** A model with a price by token, which is what can be taught in a table. */
export interface PricedModel extends Model {
  price: PriceInput;
}

const shownPrices = 5;
/** How the server calls the owner of a model that nobody claims. */
const unknownOwner = 'unknown';

export function modelsOf(available: Available | undefined): Model[] {
  return Object.entries(available ?? {}).map(([name, { owned_by, price }]) => ({
    name,
    owner: owned_by === unknownOwner ? '' : owned_by,
    price,
  }));
}

export interface OwnerCount {
  owner: string;
  count: number;
}

/** How many models each owner has, most first and those without one last. */
export function countByOwner(models: Model[]): OwnerCount[] {
  const groups = Map.groupBy(models, ({ owner }) => owner);
  return [...groups]
    .map(([owner, { length }]) => ({ owner, count: length }))
    .toSorted(
      (a, b) =>
        Number(a.owner === '') - Number(b.owner === '') ||
        b.count - a.count ||
        a.owner.localeCompare(b.owner, languageTag()),
    );
}

/**
 * A few models that stand for the rest: of each owner in turn those that talk (output costs more than input), first
 * those with a price of their own for cached input, then plain names, since variants and dated copies have longer ones.
 */
export function featured(models: Model[]): PricedModel[] {
  const talking = models.filter(isTalking);
  const byOwner = Map.groupBy(talking, ({ owner }) => owner);
  const queues = countByOwner(talking).map(({ owner }) => (byOwner.get(owner) ?? []).toSorted(tellingFirst));
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  const inTurn = Array.from({ length: rounds }, (_, round) => queues.flatMap((queue) => queue[round] ?? [])).flat();
  return inTurn.slice(0, shownPrices);
}

const isTalking = (model: Model): model is PricedModel =>
  model.price?.type === 'tokens' &&
  model.price.input > 0 &&
  model.price.output > model.price.input &&
  !model.name.includes('*');

const tellingFirst = (a: PricedModel, b: PricedModel) =>
  Number(namesCache(b)) - Number(namesCache(a)) || a.name.length - b.name.length || b.name.localeCompare(a.name);

const namesCache = ({ price: { extra_ratios: extra } }: PricedModel) =>
  extra?.cached_tokens_ratio !== undefined || extra?.cached_read_ratio !== undefined;
