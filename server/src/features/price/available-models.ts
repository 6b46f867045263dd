import type { priceApi, ReplyOf } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { isOffered, offeredModels, priceAt } from '#relay/select/offered-models.ts';
import { lean } from './price-queries.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

/**
 * The models of public groups and of the viewer's own group, each with its groups and price. Models without a price are
 * left out, because their calls are refused.
 */
export function availableModels(live: Live, ownGroup: string | undefined): Available {
  const groups = [...live.groups.values()].filter(({ public: isPublic, symbol }) => isPublic || symbol === ownGroup);
  // A Map, because a model may be called `constructor`.
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
  const entries = [...serving].flatMap(([model, { groups: symbols, prices }]) => {
    const price = dearest(prices);
    if (!price) return [];
    const owner = live.owners.get(price.channel_type) ?? 'unknown';
    return [[model, { groups: symbols, owned_by: owner, price: publicPrice(price, model) }] as const];
  });
  return Object.fromEntries(entries);
}

/**
 * Channels may map a model to different ones with different prices. The highest is shown, since the channel is not
 * known in advance.
 */
const dearest = (prices: Iterable<BookedPrice>): BookedPrice | undefined =>
  [...prices].toSorted((a, b) => sum(b) - sum(a))[0];

const sum = ({ type, input, output }: BookedPrice): number => (type === 'times' ? 1000 * input : input + output);

function publicPrice(
  { version, valid_from: from, model, type, channel_type, input, output, extra_ratios, rules, fees }: BookedPrice,
  modelName: string,
) {
  const price = lean({ model: model || modelName, type, channel_type, input, output, extra_ratios, rules, fees });
  return version > 0 && from !== undefined ? { ...price, version, valid_from: from } : price;
}
