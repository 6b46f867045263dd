/** The preference of the group or the site among the channels of one priority: docs/routing.md. */
import type { ChannelPreference, UserGroup } from '@relay-hub/contract';
import type { Live } from '#live/live.ts';
import type { Preference } from '#live/routing-table.ts';
import type { RouteQuery } from '#relay/types/call-types.ts';
import { namesAt } from './channel-offer.ts';

/** The preference of a group, or of the site if it has none. */
export const preferredBy = (
  { settings }: Pick<Live, 'settings'>,
  { channel_preference: own }: Pick<UserGroup, 'channel_preference'>,
): ChannelPreference => own ?? settings.ChannelPreference;

/** `keeper`: the channel that keeps the conversation; 0: none. Undefined: channels are drawn by weight. */
export function preferenceOf(
  live: Pick<Live, 'settings' | 'speeds' | 'prices'>,
  { group, request: { model } }: Pick<RouteQuery, 'group' | 'request'>,
  keeper: number,
): Preference | undefined {
  const by = preferredBy(live, group);
  if (by === 'weight') return undefined;
  const name = `${by} ${model}`;
  if (by === 'cost')
    // Costs are known without calls. A channel that is a tenth dearer gets a twentieth.
    return { name, power: 32, explored: 0, keeper, figure: (channel) => costOf(live, channel, model) };
  live.speeds.isWanted = true;
  return {
    name,
    // Close speeds have close shares: not every node sends all calls to the fastest channel.
    power: 2,
    explored: 0.05,
    keeper,
    figure: (channel) => live.speeds.steadyLatency(channel.id, namesAt(channel, model).upstream),
  };
}

/** Cost of a thousand tokens in and out, or of a call, as a ratio; a channel without a purchase price pays the list's. */
function costOf(
  { prices }: Pick<Live, 'prices'>,
  channel: Parameters<Preference['figure']>[0],
  model: string,
): number | undefined {
  const { upstream, billed } = namesAt(channel, model);
  const own = channel.purchases?.find([upstream, billed], Math.floor(Date.now() / 1000));
  const price = own?.price ?? prices.find(billed);
  if (!price) return undefined;
  const { type, input, output } = price;
  return (own?.rate ?? channel.costRatio ?? 1) * (type === 'times' ? input : input + output);
}
