/** Wishes of callers about the providers of a call. docs/routing.md has the rules. */
import { dollarsPerMillion, type ProviderWishes, providerWishes, type WishSort } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { ChannelScore, LiveChannel } from '#live/routing-table.ts';
import { badRequest } from '#relay/reply/relay-error.ts';
import type { RouteQuery } from '#relay/types/call-types.ts';
import { namesAt } from './channel-offer.ts';

/** Reads the member `provider` of a body. Throws a 400 that names the field. */
export function readWishes(value: unknown): ProviderWishes {
  const read = providerWishes.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const keys = issue?.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : [];
  const field = ['provider', ...(issue?.path ?? []), ...keys].map(String).join('.').slice(0, 200);
  throw badRequest(`'${field}' is not a wish that this server knows, or has a wrong value.`, field);
}

const suffixes: readonly [string, WishSort][] = [
  [':floor', 'price'],
  [':nitro', 'throughput'],
];

/** A model's name without a suffix that wishes an order, and that order; undefined: it has none. */
export function suffixWish(name: string): { model: string; sort: WishSort } | undefined {
  const found = suffixes.find(([suffix]) => name.endsWith(suffix) && name.length > suffix.length);
  return found && { model: name.slice(0, -found[0].length), sort: found[1] };
}

const slug = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** The public names of a channel: that of its provider, and the one that the operator gave it. Never its own name. */
const namesOf = ({ provider, publicName }: LiveChannel): string[] => [slug(publicName), slug(provider.id)];

const isNamed = (channel: LiveChannel, list: readonly string[]): boolean => {
  const names = namesOf(channel);
  return list.some((name) => names.includes(slug(name)));
};

const includes = (list: readonly string[], value: string): boolean =>
  value !== '' && list.some((each) => each.toLowerCase() === value.toLowerCase());

/** Whether a channel meets the wishes of a call, whatever its price. Unknown properties never meet one. */
export function fits(wishes: ProviderWishes, channel: LiveChannel): boolean {
  const { order, only, ignore, allow_fallbacks, data_collection, quantizations, region } = wishes;
  if (only && !isNamed(channel, only)) return false;
  if (ignore && isNamed(channel, ignore)) return false;
  if (order && allow_fallbacks === false && !isNamed(channel, order)) return false;
  if (data_collection === 'deny' && channel.dataPolicy !== 'deny') return false;
  if (quantizations && !includes(quantizations, channel.quantization)) return false;
  return !region || includes(region, channel.region);
}

/** Whether a price is within the wishes of a call. `ratio`: that of the group. */
export function isWithin({ max_price: most }: ProviderWishes, price: BookedPrice, ratio: number): boolean {
  if (!most) return true;
  if (price.type !== 'tokens') return false;
  const isBelow = (bound: number | string | undefined, side: number): boolean =>
    bound === undefined || dollarsPerMillion(side * ratio) <= Number(bound);
  return isBelow(most.prompt, price.input) && isBelow(most.completion, price.output);
}

const hasOrder = ({ order, sort }: ProviderWishes): boolean => order !== undefined || sort !== undefined;

/** The wishes that order the channels of a call: its own, else those of its token; undefined: neither has an order. */
export function orderOf({ wishes, caller }: RouteQuery): ProviderWishes | undefined {
  if (wishes && hasOrder(wishes)) return wishes;
  const ofToken = caller?.limits?.provider;
  return ofToken && hasOrder(ofToken) ? ofToken : undefined;
}

/** How channels of one priority are ordered by wishes; undefined: they are not. */
export function scoreOf(live: Live, query: RouteQuery): ChannelScore | undefined {
  const wishes = orderOf(query);
  if (!wishes) return undefined;
  const { order, sort } = wishes;
  const { model } = query.request;
  const bySort = sort && sortScore(live, sort, model);
  return (channel) => {
    const at = order ? order.findIndex((name) => isNamed(channel, [name])) : -1;
    // Scores of the order are below all others.
    return at >= 0 ? at - 1e12 : (bySort?.(channel) ?? 0);
  };
}

function sortScore(live: Live, sort: WishSort, model: string): ChannelScore {
  if (sort !== 'price') live.speeds.isWanted = true;
  return (channel) => {
    const { upstream, billed } = namesAt(channel, model);
    if (sort === 'price') {
      const price = live.prices.find(billed);
      return price ? price.input + price.output : Infinity;
    }
    // A channel that was not measured yet comes first, so that it is.
    if (sort === 'latency') return live.speeds.latency(channel.id, upstream) ?? -1;
    return -(live.speeds.throughput(channel.id, upstream) ?? 1e9);
  };
}
