import type { ChannelLimitUse, RouteCandidate, SkipReason } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import { limitUses } from '#live/limit-uses.ts';
import { hostName } from '#live/host-health.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { CachePlace } from '#live/conversations.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import type { ChannelOffer, RouteQuery } from '#relay/types/call-types.ts';
import { namesAt, offerOf } from './channel-offer.ts';
import { type ChannelState, Rank, stateOf } from './channel-state.ts';
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
  const score = query.wishes && scoreOf(live, query.wishes, request.model);
  const place = query.conversation && live.conversations.find(query.conversation, Date.now());
  assignShares(found, score ? undefined : place, score && ((id) => score(live.routes.channel(id)!)));
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
  score: ((channelId: number) => number) | undefined,
): void {
  const best = Math.min(Rank.never, ...ranked.map(({ rank }) => rank));
  if (best >= Rank.full) return;
  const drawn = ranked.filter(({ rank }) => rank === best).map(({ candidate }) => candidate);
  const highest = Math.max(...drawn.map(({ priority }) => priority));
  const top = drawn.filter(({ priority }) => priority === highest);
  const least = score && Math.min(...top.map(({ channel_id: id }) => score(id)));
  const chosen = score ? top.filter(({ channel_id: id }) => score(id) === least) : top;
  const total = chosen.reduce((sum, { weight }) => sum + weight, 0);
  for (const candidate of drawn) {
    const isTop = chosen.includes(candidate);
    candidate.share = isTop ? candidate.weight / total : 0;
    candidate.skipped = isTop ? '' : candidate.priority === highest ? 'worse_by_wish' : 'lower_priority';
  }
  const keeper = drawn.find(({ channel_id: id, share }) => id === place?.channelId && share > 0);
  if (!keeper || best > Rank.well) return;
  for (const candidate of drawn) {
    if (candidate.share === 0) continue;
    candidate.kept = candidate === keeper;
    candidate.share = candidate.kept ? 1 : 0;
    if (!candidate.kept) candidate.skipped = 'kept_elsewhere';
  }
}
