import type { priceApi, PriceInput, ReplyOf } from '@relay-hub/contract';
import type { OwnerCount } from '#domain/price-list/price-list-rows.ts';
import { languageTag } from '#i18n/i18n.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

export interface Model {
  name: string;
  owner: string;
  price: PriceInput | null;
}

/** A model with a price by token, which a price table can show. */
export interface TokenPricedModel extends Model {
  price: PriceInput;
}

const shownPrices = 5;
/** The server's key for models without an owner. */
const unknownOwner = 'unknown';

export function modelsOf(available: Available | undefined): Model[] {
  return Object.entries(available ?? {}).map(([name, { owned_by, price }]) => ({
    name,
    owner: owned_by === unknownOwner ? '' : owned_by,
    price,
  }));
}

/** Number of models by owner, largest first and those without one last. */
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
 * A few representative models: in turn from each owner, chat models only (output price above input price), those with
 * a cache price first, then short names, since variants and dated copies have longer ones.
 */
export function featured(models: Model[]): TokenPricedModel[] {
  const talking = models.filter(isChatModel);
  const byOwner = Map.groupBy(talking, ({ owner }) => owner);
  const queues = countByOwner(talking).map(({ owner }) => (byOwner.get(owner) ?? []).toSorted(tellingFirst));
  const rounds = Math.max(0, ...queues.map((queue) => queue.length));
  const inTurn = Array.from({ length: rounds }, (_, round) => queues.flatMap((queue) => queue[round] ?? [])).flat();
  return inTurn.slice(0, shownPrices);
}

const isChatModel = (model: Model): model is TokenPricedModel =>
  model.price?.type === 'tokens' &&
  model.price.input > 0 &&
  model.price.output > model.price.input &&
  !model.name.includes('*');

const tellingFirst = (a: TokenPricedModel, b: TokenPricedModel) =>
  Number(namesCache(b)) - Number(namesCache(a)) || a.name.length - b.name.length || b.name.localeCompare(a.name);

const namesCache = ({ price: { extra_ratios: extra } }: TokenPricedModel) =>
  extra?.cached_tokens_ratio !== undefined || extra?.cached_read_ratio !== undefined;
