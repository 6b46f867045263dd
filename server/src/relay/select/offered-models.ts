import { splitModel } from '#chat/steering.ts';
import type { Live } from '#live/live.ts';
import { mayCall } from '#live/model-switch.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { modelsBehind } from '#live/virtual-models.ts';
import { namesAt } from './channel-offer.ts';

type PricedRoutes = Pick<Live, 'routes' | 'prices'>;
type GroupRoutes = PricedRoutes & Pick<Live, 'groups' | 'virtualModels'>;

/** The price of a model at a channel; undefined: calls are refused. */
export const priceAt = ({ prices }: PricedRoutes, channel: LiveChannel, model: string): BookedPrice | undefined =>
  prices.find(namesAt(channel, model).billed);

/** Whether a group can call a model, or a model of a step behind its name: it may, a channel serves it, and it has a price. */
export const isOffered = (live: GroupRoutes, group: string, model: string): boolean =>
  live.virtualModels.size === 0 || !live.virtualModels.has(model)
    ? isServed(live, group, model)
    : modelsBehind(live.virtualModels, model).some((one) => isServed(live, group, splitModel(one).model));

const isServed = (live: GroupRoutes, group: string, model: string): boolean =>
  mayCall(live.groups.get(group) ?? { model_switch: null }, model) &&
  live.routes
    .channelsFor(group, model)
    .some((channel) => priceAt(live, channel, model) !== undefined || hasVariantPrice(live, channel, model));

/** Whether a video model is priced by length or quality only, see `videoQuote`. */
function hasVariantPrice({ prices }: PricedRoutes, channel: LiveChannel, model: string): boolean {
  if (!channel.provider.tasks?.quote) return false;
  const names = prices.namesWith(`${namesAt(channel, model).billed}_`);
  return names.some((name) => /_(?:second|\d+)$/.test(name) && prices.exact(name)?.type === 'times');
}

/** Models that a group can call, virtual ones included. A wildcard stands for the priced names it matches, except those with a `#`. */
export function offeredModels(live: GroupRoutes, group: string): Set<string> {
  const names = new Set<string>();
  for (const name of live.routes.modelsOf(group)) {
    if (!name.endsWith('*')) names.add(name);
    else for (const priced of live.prices.namesWith(name.slice(0, -1))) if (!priced.includes('#')) names.add(priced);
  }
  for (const name of live.virtualModels.keys()) names.add(name);
  for (const name of names) if (!isOffered(live, group, name)) names.delete(name);
  return names;
}
