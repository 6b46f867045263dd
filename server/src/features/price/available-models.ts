import type { priceApi, ReplyOf } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { lean } from './price-queries.ts';

type Available = ReplyOf<(typeof priceApi)['available']>;

/** What can be called now: the models of public groups and of the viewer's own, each with its groups and its price. */
export function availableModels(live: Live, ownGroup: string | undefined): Available {
  const groups = [...live.groups.values()].filter(({ public: isPublic, symbol }) => isPublic || symbol === ownGroup);
  // A map: a model may be called `constructor`.
  const serving = new Map<string, { groups: string[]; channels: LiveChannel[] }>();
  for (const { symbol } of groups) {
    for (const model of live.routes.modelsOf(symbol)) {
      const known = serving.get(model) ?? { groups: [], channels: [] };
      known.groups.push(symbol);
      known.channels.push(...live.routes.channelsFor(symbol, model));
      serving.set(model, known);
    }
  }
  const entries = [...serving].map(([model, { groups: symbols, channels }]) => {
    const price = chargedPrice(live, model, channels);
    const owner = live.owners.get(price?.channel_type ?? 0) ?? 'unknown';
    return [model, { groups: symbols, owned_by: owner, price: price ? shown(price, model) : null }] as const;
  });
  return Object.fromEntries(entries);
}

/** What a call of a model is billed as by one channel: see the relay's own reading of a mapping. */
export function billedModel({ mapping }: LiveChannel, model: string): string {
  const target = mapping.get(model);
  return target === undefined || target.startsWith('+') ? model : target;
}

/**
 * The price that calls of a model are charged by. Channels may send on different models, each with its own price; then
 * it is the dearest, since nobody can know beforehand which channel it will be.
 */
function chargedPrice(live: Live, model: string, channels: LiveChannel[]): BookedPrice | undefined {
  const names = new Set(channels.map((channel) => billedModel(channel, model)));
  const prices = [...names].flatMap((name) => live.prices.find(name) ?? []);
  return prices.toSorted((a, b) => sum(b) - sum(a))[0];
}

const sum = ({ type, input, output }: BookedPrice): number => (type === 'times' ? 1000 * input : input + output);

function shown(
  { version, valid_from: from, model, type, channel_type, input, output, extra_ratios }: BookedPrice,
  asked: string,
) {
  const price = lean({ model: model || asked, type, channel_type, input, output, extra_ratios });
  return version > 0 && from !== undefined ? { ...price, version, valid_from: from } : price;
}
