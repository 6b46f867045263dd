import { endingDates, type FeeEvent } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { namesAt } from '#relay/select/channel-offer.ts';
import { builtInPrices } from './price-queries.ts';

/**
 * Models of enabled channels without their own price, by number of channels. `refused` means that no default price
 * covers them either.
 */
export function unpricedModels(live: Live): { model: string; channels: number; refused: boolean }[] {
  return [...billedModels(live)]
    .filter(([model]) => !live.prices.listed(model))
    .map(([model, ids]) => ({ model, channels: ids.size, refused: live.prices.find(model) === undefined }))
    .toSorted((a, b) => b.channels - a.channels || (a.model < b.model ? -1 : 1));
}

/** Names by which the models of enabled channels are charged, with their channels. */
function billedModels(live: Live): Map<string, Set<number>> {
  const channels = new Map<string, Set<number>>();
  for (const group of live.groups.keys()) {
    for (const model of live.routes.modelsOf(group)) {
      for (const channel of live.routes.channelsFor(group, model)) {
        const { billed } = namesAt(channel, model);
        channels.set(billed, (channels.get(billed) ?? new Set()).add(channel.id));
      }
    }
  }
  return channels;
}

interface PriceGap {
  /** The name of the price. */
  model: string;
  /** Fees of the built-in price that this one lacks. */
  fees: FeeEvent[];
  /** The last date of its holidays, if that is past or near; absent: it is not. */
  ends?: string;
}

/** Prices of models of enabled channels that lack fees of hosted tools, or whose list of holidays ends. `now`: in seconds. */
export function priceGaps(live: Live, now: number): PriceGap[] {
  const gaps = new Map<string, PriceGap>();
  for (const name of billedModels(live).keys()) {
    const price = live.prices.listed(name);
    if (!price || gaps.has(price.model)) continue;
    const fees = missingFees(price, name);
    const ends = price.rules?.map((rule) => endingDates(rule, now)).find((date) => date !== undefined);
    if (fees.length > 0 || ends !== undefined)
      gaps.set(price.model, { model: price.model, fees, ...(ends && { ends }) });
  }
  return [...gaps.values()].toSorted((a, b) => (a.model < b.model ? -1 : 1));
}

let builtInFees: Map<string, FeeEvent[]> | undefined;

function missingFees(price: BookedPrice, model: string): FeeEvent[] {
  // Of a price per call, or of one that costs nothing, all tools are part.
  if (price.type === 'times' || price.ratesFor(1).free) return [];
  builtInFees ??= new Map(builtInPrices().map(({ model: name, fees = [] }) => [name, fees.map(({ event }) => event)]));
  const own = new Set(price.fees?.map(({ event }) => event));
  return (builtInFees.get(model) ?? []).filter((event) => !own.has(event));
}
