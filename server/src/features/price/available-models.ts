import type { priceApi, ReplyOf } from '@relay-hub/contract';
import { splitModel } from '#chat/steering.ts';
import type { Live } from '#live/live.ts';
import { modelsBehind } from '#live/virtual-models.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { isOffered, offeredModels, priceAt } from '#relay/select/offered-models.ts';
import { contextOf } from '#usage/model-facts.ts';
import { lean } from './price-queries.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

/** A model's groups and its prices there. */
interface Serving {
  groups: string[];
  prices: Set<BookedPrice>;
  /** The dearest price of each model behind its name. */
  chain: Map<string, BookedPrice>;
}

/**
 * The models of public groups and of the viewer's own group, each with its groups and price. Models without a price are
 * left out, because their calls are refused.
 */
export function availableModels(live: Live, ownGroup: string | undefined): Available {
  const groups = [...live.groups.values()].filter(({ public: isPublic, symbol }) => isPublic || symbol === ownGroup);
  // A Map, because a model may be called `constructor`.
  const serving = new Map<string, Serving>();
  for (const { symbol } of groups) {
    const patterns = live.routes.modelsOf(symbol).filter((name) => name.endsWith('*') && isOffered(live, symbol, name));
    for (const model of new Set([...offeredModels(live, symbol), ...patterns])) {
      const known = serving.get(model) ?? {
        groups: [],
        prices: new Set<BookedPrice>(),
        chain: new Map<string, BookedPrice>(),
      };
      known.groups.push(symbol);
      for (const one of modelsBehind(live.virtualModels, model)) {
        const own = live.routes
          .channelsFor(symbol, splitModel(one).model)
          .map((channel) => priceAt(live, channel, one));
        const prices = own.filter((price) => price !== undefined);
        for (const price of prices) known.prices.add(price);
        const highest = dearest([...prices, known.chain.get(one)].filter((price) => price !== undefined));
        if (highest) known.chain.set(one, highest);
      }
      serving.set(model, known);
    }
  }
  const entries = [...serving].flatMap(([model, { groups: symbols, prices, chain }]) => {
    const price = dearest(prices);
    if (!price) return [];
    const owner = live.owners.get(price.channel_type) ?? 'unknown';
    const steps = [...chain].map(([one, each]) => ({ model: one, price: publicPrice(each, one) }));
    const contexts = modelsBehind(live.virtualModels, model).map((one) => contextOf(splitModel(one).model));
    const context = contexts.every((each) => each !== undefined) ? { context: Math.min(...contexts) } : {};
    const whole = { groups: symbols, owned_by: owner, ...context, price: publicPrice(price, model) };
    return [[model, live.virtualModels.has(model) ? { ...whole, chain: steps } : whole] as const];
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
