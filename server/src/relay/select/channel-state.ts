import type { FaultCause } from '@relay-hub/contract';
import type { FullLimit } from '#live/limit-uses.ts';
import { leadsToAny } from '#live/host-health.ts';
import type { Live } from '#live/live.ts';
import type { LiveKey } from '#live/routing-table.ts';
import { type HealthForCaller, WELL } from '#live/trouble.ts';
import type { ChannelOffer, RouteQuery, TriedChannels } from '#relay/types/call-types.ts';

/** Order in which channels are tried, before their priority. */
export const Rank = {
  /** Healthy, or due for a probe that this call can afford. */
  well: 0,
  /** Due for a probe, but this call has failed before. */
  probe: 1,
  /** Failed recently. */
  frozen: 2,
  /** Closed; calls without another channel probe it now and then. */
  lastResort: 3,
  /** A limit of the operator has no room: it is not called before there is some. */
  full: 4,
  never: 5,
} as const;

/** Health of a channel for one call. */
export interface ChannelState {
  rank: number;
  /** An attempt now is a probe. */
  probe: boolean;
  /** The host is at fault, not the channel. */
  isHostFault: boolean;
  /** Unix milliseconds until which it rests; 0: it does not. */
  until: number;
  cause: FaultCause | undefined;
  /** The limit that has no room; left out: all have. */
  limit?: FullLimit;
}

/** A refused key is refused for all models. */
export const ANY_MODEL = '*';

/** Fast path: nothing has failed anywhere, and no limit is full. */
export const isAllWell = ({ health, hosts, keyHealth, limiter }: Live, tried: TriedChannels): boolean =>
  health.untroubled &&
  hosts.untroubled &&
  keyHealth.untroubled &&
  limiter.nothingFull &&
  tried.full.size === 0 &&
  tried.unreachableHosts.size === 0;

export const hasNoFull = ({ limiter }: Pick<Live, 'limiter'>, { full }: TriedChannels): boolean =>
  limiter.nothingFull && full.size === 0;

/** The worse of the channel's own state and that of its best host; undefined: healthy. */
export function stateOf(
  live: Live,
  query: RouteQuery,
  offer: ChannelOffer,
  tried: TriedChannels,
): ChannelState | undefined {
  const now = Date.now();
  const { channel, upstreamModel } = offer;
  const isFirst = isFirstAttempt(tried);
  const channelHealth = live.health.of(channel.id, upstreamModel, now, userOf(query));
  const own = channelHealth === WELL ? undefined : stateFrom(channelHealth, isFirst, false);
  const host = hostState(live, offer, tried, now);
  let worse = own && host && host.rank <= own.rank ? own : (host ?? own);
  if (own && host && worse) worse.probe = worse.rank !== Rank.frozen && (own.probe || host.probe);
  const hasNoKey = channel.keys.length > 1 && channel.keys.every((key) => isKeyBad(live, query, key, tried));
  if (hasNoKey && (worse === undefined || worse.rank < Rank.frozen))
    worse = { rank: Rank.frozen, probe: false, isHostFault: false, until: 0, cause: 'key' };
  if (hasNoFull(live, tried) || worse?.rank === Rank.never) return worse;
  const limit = live.limiter.fullAt(channel, upstreamModel, tried.full);
  if (!limit) return worse;
  return { rank: Rank.full, probe: false, isHostFault: false, until: limit.until, cause: undefined, limit };
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
    const hostHealth = hosts.of(route, now);
    const failed = leadsToAny(route, tried.unreachableHosts);
    if (hostHealth === WELL && !failed) return undefined;
    const state = stateFrom(hostHealth, isFirst, true);
    // A host that was unreachable a moment ago comes last.
    if (state.rank < Rank.frozen && failed) state.rank = Rank.frozen;
    if (!nearest || state.rank < nearest.rank) nearest = state;
  }
  return nearest;
}

function stateFrom(
  { health, until, lastResort, cause }: HealthForCaller,
  isFirst: boolean,
  isOfHost: boolean,
): ChannelState {
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

export const isKeyWell = ({ keyHealth }: Live, query: RouteQuery, { id }: LiveKey): boolean =>
  keyHealth.untroubled || isAvailable(keyHealth.of(id, ANY_MODEL, Date.now(), userOf(query)));

export const isAvailable = ({ health }: HealthForCaller): boolean => health === 'well' || health === 'probe';

const isKeyBad = (live: Live, query: RouteQuery, key: LiveKey, tried: TriedChannels): boolean =>
  tried.keys.has(key.id) || !isKeyWell(live, query, key);
