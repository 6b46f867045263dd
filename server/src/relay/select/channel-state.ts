import type { FaultCause } from '@relay-hub/contract';
import { leadsToAny } from '#live/host-health.ts';
import type { Live } from '#live/live.ts';
import type { LiveKey } from '#live/routing-table.ts';
import { type Standing, WELL } from '#live/trouble.ts';
import type { ChannelOffer, RouteQuery, TriedChannels } from '#relay/call/types.ts';

/** In which order channels are asked, whatever their priority. */
export const Rank = {
  /** Nothing is held against it, or its rest is over and this call can afford to try it. */
  well: 0,
  /** Its rest is over, but the call has failed before. */
  probe: 1,
  /** It failed lately. */
  frozen: 2,
  /** It is closed, and only a call that has nothing else may try it now and then. */
  lastResort: 3,
  never: 4,
} as const;

/** How a channel stands for a call. */
export interface ChannelState {
  rank: number;
  /** To ask it now is to try it. */
  probe: boolean;
  /** Its host is at fault, not the channel. */
  isHostFault: boolean;
  /** Unix milliseconds; 0: it does not rest. */
  until: number;
  cause: FaultCause | undefined;
}

/** Keys are refused whatever the model. */
export const ANY_MODEL = '*';

/** Nothing is held against any channel, which spares looking. */
export const isAllWell = ({ health, hosts, keyHealth }: Live, tried: TriedChannels): boolean =>
  health.untroubled && hosts.untroubled && keyHealth.untroubled && tried.unreachableHosts.size === 0;

/**
 * How a channel stands for a call: the worse of its own standing and that of the best host that its keys lead to.
 * Undefined: nothing is held against it.
 */
export function stateOf(
  live: Live,
  wanted: RouteQuery,
  offer: ChannelOffer,
  tried: TriedChannels,
): ChannelState | undefined {
  const now = Date.now();
  const { channel, upstreamModel } = offer;
  const isFirst = isFirstAttempt(tried);
  const standing = live.health.of(channel.id, upstreamModel, now, userOf(wanted));
  const own = standing === WELL ? undefined : stateFrom(standing, isFirst, false);
  const host = hostState(live, offer, tried, now);
  let worse = own && host && host.rank <= own.rank ? own : (host ?? own);
  if (own && host && worse) worse.probe = worse.rank !== Rank.frozen && (own.probe || host.probe);
  const hasNoKey = channel.keys.length > 1 && channel.keys.every((key) => isKeyBad(live, wanted, key, tried));
  if (hasNoKey && (worse === undefined || worse.rank < Rank.frozen))
    worse = { rank: Rank.frozen, probe: false, isHostFault: false, until: 0, cause: 'key' };
  return worse;
}

const isFirstAttempt = ({ channels, keys }: TriedChannels): boolean => channels.size === 0 && keys.size === 0;

/** State of the best host that the channel's keys lead to; undefined: one of them is well. */
function hostState(
  { hosts }: Live,
  { channel, operation }: ChannelOffer,
  tried: TriedChannels,
  now: number,
): ChannelState | undefined {
  if (hosts.untroubled && tried.unreachableHosts.size === 0) return undefined;
  const isFirst = isFirstAttempt(tried);
  let nearest: ChannelState | undefined;
  for (const key of channel.keys) {
    if (tried.keys.has(key.id)) continue;
    const route = hosts.routeOf(channel, key, operation);
    const standing = hosts.of(route, now);
    const failed = leadsToAny(route, tried.unreachableHosts);
    if (standing === WELL && !failed) return undefined;
    const state = stateFrom(standing, isFirst, true);
    // What could not be reached a moment ago comes last, even where nothing rests.
    if (state.rank < Rank.frozen && failed) state.rank = Rank.frozen;
    if (!nearest || state.rank < nearest.rank) nearest = state;
  }
  return nearest;
}

function stateFrom({ health, until, lastResort, cause }: Standing, isFirst: boolean, isOfHost: boolean): ChannelState {
  switch (health) {
    case 'well':
      return { rank: Rank.well, probe: false, isHostFault: isOfHost, until, cause };
    case 'probe':
      return { rank: isFirst ? Rank.well : Rank.probe, probe: true, isHostFault: isOfHost, until, cause };
    case 'frozen':
      return { rank: Rank.frozen, probe: false, isHostFault: isOfHost, until, cause };
    default:
      return {
        rank: lastResort ? Rank.lastResort : Rank.never,
        probe: lastResort,
        isHostFault: isOfHost,
        until,
        cause,
      };
  }
}

const userOf = ({ caller }: RouteQuery): number => caller?.userId ?? 0;

export const isKeyWell = ({ keyHealth }: Live, wanted: RouteQuery, { id }: LiveKey): boolean =>
  keyHealth.untroubled || isAvailable(keyHealth.of(id, ANY_MODEL, Date.now(), userOf(wanted)));

/** It can be asked without a second thought. */
export const isAvailable = ({ health }: Standing): boolean => health === 'well' || health === 'probe';

const isKeyBad = (live: Live, wanted: RouteQuery, key: LiveKey, tried: TriedChannels): boolean =>
  tried.keys.has(key.id) || !isKeyWell(live, wanted, key);
