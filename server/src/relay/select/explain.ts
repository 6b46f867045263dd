import {
  type ChannelLimitUse,
  type ChannelPreference,
  dollarsPerMillion,
  type RouteCandidate,
  type SkipReason,
} from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { limitUses } from '#live/limit-uses.ts';
import { hostName } from '#live/host-health.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { CachePlace } from '#live/conversations.ts';
import { type LiveChannel, sharesBy } from '#live/routing-table.ts';
import type { ChannelOffer, RouteQuery } from '#relay/types/call-types.ts';
import { namesAt, offerOf } from './channel-offer.ts';
import { type ChannelState, Rank, stateOf } from './channel-state.ts';
import { preferenceOf, preferredBy } from './channel-preference.ts';
import { evaluateChannel, nothingTried } from './choose-channel.ts';
import { scoreOf } from './provider-wishes.ts';

/** Shows what the rules of a channel do; null: nothing. */
type RulesAt = (offer: ChannelOffer) => RouteCandidate['rules'];

/** Every channel for a model: those used first, and why others are not. */
export async function explainRoute(deps: Deps, query: RouteQuery, rulesAt: RulesAt): Promise<RouteCandidate[]> {
  const { live } = deps;
  const { group, request } = query;
  const channels = live.routes.channelsFor(group.symbol, request.model);
  const uses = await limitUses(deps, channels);
  live.limiter.noteUses(uses);
  const found = channels.map((channel) => rankChannel(deps, query, channel, { rulesAt, uses }));
  const score = scoreOf(live, query);
  const place = query.conversation && live.conversations.find(query.conversation, Date.now());
  const preference = score ? undefined : preferenceOf(live, query, 0);
  const channelOf = (id: number) => live.routes.channel(id)!; // one of `channels`
  if (preference)
    for (const { candidate } of found)
      candidate.figure = shownFigure(preferredBy(live, group), preference.figure(channelOf(candidate.channel_id)));
  assignShares(found, score ? undefined : place, {
    score: score && ((id) => score(channelOf(id))),
    shares: preference && ((ids) => sharesBy(preference, ids.map(channelOf))),
  });
  const resting = live.routes
    .restingFor(group.symbol, request.model)
    .map(({ id, name, type, priority, weight }): RouteCandidate => ({
      channel_id: id,
      channel_name: name,
      channel_type: type,
      priority,
      weight,
      share: 0,
      skipped: 'switched_off',
      until: 0,
      limits: [],
      cause: '',
      probe: false,
      host: '',
      figure: null,
      kept: false,
      host_down: false,
      upstream_model: request.model,
      billed_model: request.model,
      price: null,
      rules: null,
    }));
  const candidates = found.map(({ candidate }) => candidate);
  return [...candidates.toSorted((a, b) => b.share - a.share || b.priority - a.priority), ...resting];
}

/** Milliseconds, or dollars. */
function shownFigure(by: ChannelPreference, figure: number | undefined): number | null {
  if (figure === undefined) return null;
  return by === 'cost' ? dollarsPerMillion(figure) / 1000 : figure;
}

/** A smaller part of the calls is shown as none. */
const NO_SHARE = 1e-4;

interface Ranked {
  candidate: RouteCandidate;
  /** See `Rank`. */
  rank: number;
}

interface Shown {
  rulesAt: RulesAt;
  uses: ReadonlyMap<number, readonly ChannelLimitUse[]>;
}

function rankChannel(deps: Deps, query: RouteQuery, channel: LiveChannel, { rulesAt, uses }: Shown): Ranked {
  const { upstream, billed } = namesAt(channel, query.request.model);
  const price = deps.live.prices.find(billed);
  const considered = evaluateChannel(deps, query, channel, nothingTried);
  const skip = typeof considered === 'string' ? considered : undefined;
  const offer = offerOf(query, channel);
  const state = offer && stateOf(deps.live, query, offer, nothingTried);
  const candidate: RouteCandidate = {
    channel_id: channel.id,
    channel_name: channel.name,
    channel_type: channel.provider.type,
    priority: channel.priority,
    weight: channel.weight,
    share: 0,
    skipped: skip === undefined || skip === 'tried' ? skippedFor(state) : skip,
    until: state?.until ?? 0,
    limits: [...(uses.get(channel.id) ?? [])],
    cause: state?.cause ?? '',
    probe: state?.probe ?? false,
    host: hostName(deps.live.hosts.routeOf(channel, channel.keys[0]!, offer?.operation)),
    figure: null,
    kept: false,
    host_down: state?.isHostFault === true && state.rank >= Rank.frozen,
    upstream_model: upstream,
    billed_model: billed,
    price: price ? priceOf(billed, price) : null,
    rules: offer ? rulesAt(offer) : null,
  };
  return { candidate, rank: skip === undefined ? (state?.rank ?? Rank.well) : Rank.never };
}

/** Why a channel is used only if there is no other. */
function skippedFor(state: ChannelState | undefined): SkipReason {
  if (!state || state.rank < Rank.frozen) return '';
  if (state.limit) return 'full';
  if (state.isHostFault) return 'host_down';
  return state.rank === Rank.frozen ? 'frozen' : 'closed';
}

function priceOf(
  model: string,
  { type, channel_type, input, output, extra_ratios, rules, fees }: BookedPrice,
): RouteCandidate['price'] {
  return { model, type, channel_type, input, output, extra_ratios, rules, fees };
}

/**
 * Probability by weight among the highest usable priority; resting channels only if there is no other. A conversation
 * stays where it is kept.
 */
function assignShares(
  ranked: readonly Ranked[],
  place: CachePlace | undefined,
  {
    score,
    shares,
  }: {
    score: ((channelId: number) => number) | undefined;
    /** Undefined: by weight. */
    shares: ((channelIds: number[]) => number[]) | undefined;
  },
): void {
  const best = Math.min(Rank.never, ...ranked.map(({ rank }) => rank));
  if (best >= Rank.full) return;
  const drawn = ranked.filter(({ rank }) => rank === best).map(({ candidate }) => candidate);
  const highest = Math.max(...drawn.map(({ priority }) => priority));
  const top = drawn.filter(({ priority }) => priority === highest);
  const least = score && Math.min(...top.map(({ channel_id: id }) => score(id)));
  const chosen = score ? top.filter(({ channel_id: id }) => score(id) === least) : top;
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  const parts = shares?.(chosen.map(({ channel_id: id }) => id)) ?? chosen.map(({ weight }) => weight / total);
  const keeper = best <= Rank.well ? chosen.find(({ channel_id: id }) => id === place?.channelId) : undefined;
  for (const candidate of drawn) {
    const at = chosen.indexOf(candidate);
    const part = parts[at] ?? 0;
    candidate.share = part < NO_SHARE ? 0 : part;
    candidate.kept = candidate === keeper;
    if (at < 0) candidate.skipped = candidate.priority === highest ? 'worse_by_wish' : 'lower_priority';
    else if (keeper) {
      candidate.share = candidate.kept ? 1 : 0;
      candidate.skipped = candidate.kept ? '' : 'kept_elsewhere';
    } else candidate.skipped = candidate.share === 0 ? 'less_preferred' : '';
  }
}
