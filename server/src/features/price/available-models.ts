import type { priceApi, ReplyOf } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { isOffered, offeredModels, priceAt } from '#relay/select/offered-models.ts';
import { lean } from './price-queries.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

/**
 * What can be called now: the models of public groups and of the viewer's own, each with its groups and its price. What
 * has no price is left out: its calls are refused.
 */
export function availableModels(live: Live, ownGroup: string | undefined): Available {
  const groups = [...live.groups.values()].filter(({ public: isPublic, symbol }) => isPublic || symbol === ownGroup);
  // A map: a model may be called `constructor`.
  const serving = new Map<string, { groups: string[]; prices: Set<BookedPrice> }>();
  for (const { symbol } of groups) {
    const patterns = live.routes.modelsOf(symbol).filter((name) => name.endsWith('*') && isOffered(live, symbol, name));
    for (const model of new Set([...offeredModels(live, symbol), ...patterns])) {
      const known = serving.get(model) ?? { groups: [], prices: new Set() };
      known.groups.push(symbol);
      for (const channel of live.routes.channelsFor(symbol, model)) {
        const price = priceAt(live, channel, model);
        if (price) known.prices.add(price);
      }
      serving.set(model, known);
    }
  }
  const entries = [...serving].map(([model, { groups: symbols, prices }]) => {
    const price = dearest(prices)!; // what is offered has one
    const owner = live.owners.get(price.channel_type) ?? 'unknown';
    return [model, { groups: symbols, owned_by: owner, price: shown(price, model) }] as const;
  });
  return Object.fromEntries(entries);
}

/**
 * Channels may send a model on as different ones, each with its own price; then the dearest is told, since nobody can
 * know beforehand which channel it will be.
 */
const dearest = (prices: Iterable<BookedPrice>): BookedPrice | undefined =>
  [...prices].toSorted((a, b) => sum(b) - sum(a))[0];

const sum = ({ type, input, output }: BookedPrice): number => (type === 'times' ? 1000 * input : input + output);

function shown(
  { version, valid_from: from, model, type, channel_type, input, output, extra_ratios }: BookedPrice,
  asked: string,
) {
  const price = lean({ model: model || asked, type, channel_type, input, output, extra_ratios });
  return version > 0 && from !== undefined ? { ...price, version, valid_from: from } : price;
}
