/**
 * The select step: chooses the channel and key for the next attempt.
 * After it: convert builds the request for that channel.
 */
import type { Deps } from '#deps.ts';
import type { CachePlace, KnownConversation } from '#live/conversations.ts';
import { leadsToAny } from '#live/host-health.ts';
import { mayCall } from '#live/model-switch.ts';
import type { BookedPrice } from '#live/price-book.ts';
import { byHash, type LiveChannel, type LiveKey, type Stay } from '#live/routing-table.ts';
import type { ChannelChoice, ChannelOffer, RouteQuery, TriedChannels } from '#relay/types/call-types.ts';
import { MAX_RETRY_AFTER_S } from '#relay/outcome/upstream-refusal.ts';
import { badRequest, RelayError, modelNotFound, modelOff } from '#relay/reply/relay-error.ts';
import { namesAt, offerOf } from './channel-offer.ts';
import { preferenceOf, preferredBy } from './channel-preference.ts';
import { fits, isWithin, orderOf, scoreOf } from './provider-wishes.ts';
import { priceOfTask } from './task-price.ts';
import { type ChannelState, hasNoFull, isAllWell, isAvailable, isKeyWell, Rank, stateOf } from './channel-state.ts';

export const newTried = (): TriedChannels => ({
  channels: new Set(),
  keys: new Set(),
  unreachableHosts: new Set(),
  failedHosts: new Set(),
  lowestPriority: undefined,
  isLastAttempt: false,
  onlyStable: false,
  full: new Map(),
});

export const nothingTried: TriedChannels = newTried();

/** An offer with its price. */
interface PricedOffer extends ChannelOffer {
  price: BookedPrice;
  units?: number;
  seconds?: number | undefined;
  /** Undefined: healthy. */
  state: ChannelState | undefined;
}

/** Why a channel cannot take a call. */
export type IneligibleReason =
  | 'tried'
  | 'pinned_to_another'
  | 'excluded'
  | 'not_for_operation'
  | 'only_chat'
  | 'excluded_feature'
  | 'model_off'
  | 'closed'
  | 'host_down'
  | 'unwished'
  | 'outside_token'
  | 'unpriced';

/** Chooses a channel that has not been tried. Throws a `RelayError` if there is none or the model has no price. */
export function chooseChannel(deps: Deps, query: RouteQuery, tried: TriedChannels): ChannelChoice {
  const known = knownOf(deps, query);
  const offer = pickOffer(deps, query, tried, known);
  if (!offer) throw noChoiceError(deps, query, tried);
  return choiceFrom(deps, query, offer, tried, known);
}

/** Chooses another channel after a failure; undefined: none is left. */
export function chooseNextChannel(deps: Deps, query: RouteQuery, tried: TriedChannels): ChannelChoice | undefined {
  const offer = pickOffer(deps, query, tried);
  return offer && choiceFrom(deps, query, offer, tried);
}

/** Where the conversation of a call is kept; undefined: the call has none, or must go to a certain channel. */
function knownOf({ live }: Deps, { conversation, pin, place }: RouteQuery): KnownConversation | undefined {
  if (!conversation || pin !== undefined || place !== undefined) return undefined;
  return live.conversations.next(conversation, Date.now());
}

/** How the channel of a conversation is drawn; undefined: like that of any call. */
function stayFor({ conversation }: RouteQuery, known: KnownConversation | undefined): Stay | undefined {
  if (!conversation || known === undefined || known === 'full') return undefined;
  return { seed: conversation.seed, channelId: known === 'new' ? 0 : known.channelId };
}

/**
 * A channel's offer, or why it cannot take the call. Frozen channels are offered too, as the last choice; a pinned
 * channel is offered in any state.
 */
export function evaluateChannel(
  { live }: Deps,
  query: RouteQuery,
  channel: LiveChannel,
  tried: TriedChannels,
): PricedOffer | IneligibleReason {
  const { pin, except, place, request } = query;
  if (pin !== undefined && channel.id !== pin) return 'pinned_to_another';
  if (place !== undefined && channel.id !== place.channelId) return 'pinned_to_another';
  if (channel.id === except) return 'excluded';
  if (tried.channels.has(channel.id) || (tried.keys.size > 0 && channel.keys.every(({ id }) => tried.keys.has(id))))
    return 'tried';
  const offer = offerOf(query, channel);
  if (!offer) return 'not_for_operation';
  if (pin === undefined) {
    if (!mayCall(query.group, request.model)) return 'model_off';
    if (channel.onlyChat && request.usesTools) return 'only_chat';
    if (request.usesImages && channel.excluded.has('images')) return 'excluded_feature';
    if (request.stream && !streams(channel, request.model)) return 'excluded_feature';
  }
  const ofToken = query.caller?.limits?.provider;
  if (ofToken && !fits(ofToken, channel)) return 'outside_token';
  if (query.wishes && !fits(query.wishes, channel)) return 'unwished';
  const state = isAllWell(live, tried) ? undefined : stateOf(live, query, offer, tried);
  if (pin === undefined && state?.rank === Rank.never) return state.isHostFault ? 'host_down' : 'closed';
  const { operation, upstreamModel, billedModel, steering } = offer;
  if (request.task) {
    const priced = priceOfTask(live.prices, offer, request.task);
    if (priced === 'unfit') return 'not_for_operation';
    if (!priced) return 'unpriced';
    const { price, name, units, seconds } = priced;
    if (ofToken && !isWithin(ofToken, price, query.group.ratio)) return 'outside_token';
    return { channel, operation, upstreamModel, billedModel: name, steering, price, state, units, seconds };
  }
  const price = live.prices.find(billedModel);
  if (!price) return 'unpriced';
  if (ofToken && !isWithin(ofToken, price, query.group.ratio)) return 'outside_token';
  if (query.wishes && !isWithin(query.wishes, price, query.group.ratio)) return 'unwished';
  return { channel, operation, upstreamModel, billedModel, steering, price, state };
}

const streams = ({ excluded, disabledStream }: LiveChannel, model: string): boolean =>
  !excluded.has('streaming') &&
  !disabledStream.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model));

/** Picks a key, at random unless the conversation has one; recently refused keys and unreachable hosts come last. */
function pickKey(
  { live }: Deps,
  query: RouteQuery,
  { channel, operation, upstreamModel }: ChannelOffer,
  tried: TriedChannels,
  known?: KnownConversation,
): LiveKey {
  const { keys } = channel;
  const [first] = keys;
  if (keys.length === 1 && first) return first;
  const kept = query.place && keys.find(({ id }) => id === query.place?.keyId);
  if (kept) return kept;
  const left = keys.filter(({ id }) => !tried.keys.has(id));
  const free = hasNoFull(live, tried)
    ? left
    : left.filter(({ id }) => !live.limiter.fullKey(channel.limits, id, upstreamModel, tried.full));
  let from = free.filter((key) => isKeyWell(live, query, key));
  if (from.length === 0) from = free.length > 0 ? free : left;
  if (!live.hosts.untroubled) {
    const near = from.filter((key) =>
      isAvailable(live.hosts.of(live.hosts.routeOf(channel, key, operation), Date.now())),
    );
    if (near.length > 0) from = near;
  }
  if (query.conversation && known !== undefined && known !== 'full' && channel.staysBy === 'key') {
    const place = known === 'new' ? undefined : known;
    const key = from.find(({ id }) => id === place?.keyId) ?? byHash(from, query.conversation.seed);
    if (key) return key;
  }
  return from[Math.floor(Math.random() * from.length)] ?? keys[0]!;
}

function pickOffer(
  deps: Deps,
  query: RouteQuery,
  tried: TriedChannels,
  known?: KnownConversation,
): PricedOffer | undefined {
  const { live } = deps;
  const { group, request, pin } = query;
  let last: PricedOffer | undefined;
  let rank: number = Rank.lastResort;
  let best: number = Rank.never;
  const isUsable: ChannelFilter = (channel) => {
    const considered = evaluateChannel(deps, query, channel, tried);
    if (typeof considered === 'string') return false;
    const found = considered.state?.rank ?? Rank.well;
    if (found < best) best = found;
    if (found > rank) return false;
    last = considered;
    return true;
  };
  if (pin !== undefined) {
    const pinned = live.routes.channel(pin);
    rank = Rank.never;
    return pinned && isUsable(pinned) ? last : undefined;
  }
  const score = query.wishes || query.caller?.limits ? scoreOf(live, query) : undefined;
  const keeper = typeof known === 'object' ? known.channelId : 0;
  const how = score ?? preferenceOf(live, query, keeper) ?? stayFor(query, known);
  const draw = (filter: ChannelFilter) => live.routes.pick(group.symbol, request.model, filter, how);
  let channel: LiveChannel | undefined;
  if (isAllWell(live, tried) && tried.lowestPriority === undefined) channel = draw(isUsable);
  else {
    rank = Rank.well;
    channel = drawHealthy(live, tried, { isUsable, lastOffer: () => last, draw });
    if (!tried.onlyStable) channel ??= draw(isUsable);
    // No channel is healthy, and all have been evaluated.
    if (!channel && !tried.onlyStable && best < Rank.never) {
      rank = best;
      channel = draw(isUsable);
    }
  }
  if (!channel) return undefined;
  // Nearly always the drawn channel was evaluated last.
  if (last?.channel !== channel) isUsable(channel);
  return last;
}

type ChannelFilter = (channel: LiveChannel) => boolean;

/** How channels are drawn, with the offer of the channel that the filter accepted last. */
interface Draw {
  isUsable: ChannelFilter;
  lastOffer(): PricedOffer | undefined;
  draw(filter: ChannelFilter): LiveChannel | undefined;
}

/** After a failure, draws the channel most likely to answer; undefined: there is no preference. */
function drawHealthy(
  { health, hosts }: Deps['live'],
  tried: TriedChannels,
  { isUsable, lastOffer, draw }: Draw,
): LiveChannel | undefined {
  const { failedHosts, lowestPriority, isLastAttempt, onlyStable } = tried;
  if (lowestPriority === undefined) return undefined;
  const isElsewhere: ChannelFilter = (channel) => {
    const offer = isUsable(channel) ? lastOffer() : undefined;
    if (!offer) return false;
    return channel.keys.some((key) => !leadsToAny(hosts.routeOf(channel, key, offer.operation), failedHosts));
  };
  const isStable: ChannelFilter = (channel) =>
    isElsewhere(channel) && health.isSteady(channel.id, lastOffer()?.upstreamModel ?? '');
  let channel: LiveChannel | undefined;
  // The last attempt goes to a lower priority, unless only one other channel has been tried.
  if (isLastAttempt && tried.channels.size > 1) channel = draw((one) => one.priority < lowestPriority && isStable(one));
  if (isLastAttempt) channel ??= draw(isStable);
  if (!onlyStable) channel ??= draw((one) => one.priority >= lowestPriority && isElsewhere(one));
  return channel;
}

/** Effect of the prompt cache on a choice; undefined: none. `known`: the conversation before the choice. */
function affinityOf(
  { staysBy, id }: LiveChannel,
  key: LiveKey,
  known: KnownConversation | undefined,
): ChannelChoice['affinity'] {
  if (known === undefined || staysBy === 'off') return undefined;
  if (typeof known === 'string') return known === 'new' ? 'placed' : 'full';
  return holds(known, id, staysBy === 'key' ? key.id : known.keyId) ? 'kept' : 'moved';
}

const holds = ({ channelId, keyId }: CachePlace, channel: number, key: number): boolean =>
  channelId === channel && keyId === key;

function choiceFrom(
  deps: Deps,
  query: RouteQuery,
  offer: PricedOffer,
  tried: TriedChannels,
  known?: KnownConversation,
): ChannelChoice {
  const { channel, operation, upstreamModel, billedModel, steering, price, state, units, seconds } = offer;
  const key = pickKey(deps, query, offer, tried, known);
  const affinity = affinityOf(channel, key, known);
  const rates = price.ratesFor(query.group.ratio);
  const probe = state?.probe ?? false;
  const preferred = preferredBy(deps.live, query.group);
  const isPreferred = preferred !== 'weight' && affinity !== 'kept' && query.pin === undefined && !orderOf(query);
  return {
    channel,
    operation,
    upstreamModel,
    billedModel,
    steering,
    price,
    key,
    rates,
    probe,
    ...(affinity && { affinity }),
    ...(isPreferred && { preferred }),
    ...(units && { units, seconds }),
  };
}

/** The refusal of a call without a channel. */
function noChoiceError(deps: Deps, query: RouteQuery, tried: TriedChannels): RelayError {
  const { routes } = deps.live;
  const { group, request, pin } = query;
  const pinned = pin === undefined ? undefined : routes.channel(pin);
  if (pin === undefined && !routes.serves(group.symbol, request.model) && !routes.rests(group.symbol, request.model))
    return modelNotFound(request.model);
  if (pin === undefined && !mayCall(group, request.model)) return modelOff(request.model, group.symbol);
  if (query.place && !routes.channelsFor(group.symbol, request.model).some(({ id }) => id === query.place?.channelId))
    return badRequest(
      `The provider that keeps the conversation does not serve '${request.model}'. Send the whole conversation.`,
      'model',
    );
  const channels = pin === undefined ? routes.channelsFor(group.symbol, request.model) : pinned ? [pinned] : [];
  const unpriced = channels.find((channel) => evaluateChannel(deps, query, channel, tried) === 'unpriced');
  if (unpriced) return notPriced(namesAt(unpriced, request.model).billed);
  if (query.wishes || query.caller?.limits?.provider) {
    const reasons = new Set(channels.map((one) => evaluateChannel(deps, query, one, nothingTried)));
    if (reasons.has('unwished')) return notWished(request.model);
    if (reasons.has('outside_token')) return outsideToken(request.model);
  }
  if (isNeverServed(deps, query, channels)) return neverServed(query);
  if (pin === undefined) return allAtRestError(deps, query, channels);
  const why = pinned ? 'cannot serve this request' : 'does not exist or is disabled';
  return unavailable(`The channel ${pin} that the API key names ${why}.`);
}

const forEver: ReadonlySet<unknown> = new Set<IneligibleReason>([
  'not_for_operation',
  'only_chat',
  'excluded_feature',
  'unwished',
  'outside_token',
]);

/** Whether no channel of the model can ever serve such a request, at rest or not. */
const isNeverServed = (deps: Deps, query: RouteQuery, channels: readonly LiveChannel[]): boolean =>
  channels.length > 0 && channels.every((one) => forEver.has(evaluateChannel(deps, query, one, nothingTried)));

/** A 400, or a 404 as Google says it: clients repeat a 503. */
const neverServed = ({ dialect, request: { model } }: RouteQuery): RelayError =>
  new RelayError(dialect === 'gemini' ? 404 : 400, `No channel of the model '${model}' supports such a request.`, {
    type: 'invalid_request_error',
    code: 'unsupported_operation',
    reason: 'no_available_channel',
    param: 'model',
  });

/**
 * 503, or 429 if all channels rest for their rate limit, with a Retry-After. It is short, because probes run before a
 * rest ends.
 */
function allAtRestError(deps: Deps, query: RouteQuery, channels: readonly LiveChannel[]): RelayError {
  const { live } = deps;
  const { group, request } = query;
  const now = Date.now();
  let soonest = Infinity;
  let isRate = true;
  for (const channel of channels) {
    const considered = evaluateChannel(deps, query, channel, nothingTried);
    if (considered !== 'closed' && considered !== 'host_down') continue;
    const offer = offerOf(query, channel);
    if (!offer) continue;
    const state = stateOf(live, query, offer, nothingTried);
    soonest = Math.min(soonest, state?.until ?? now);
    isRate &&= state?.cause === 'rate';
  }
  if (soonest === Infinity)
    return unavailable(`No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`);
  const retryAfter = String(Math.min(MAX_RETRY_AFTER_S, Math.max(1, Math.ceil((soonest - now) / 1000))));
  if (!isRate)
    return unavailable(`No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`, {
      retryAfter,
    });
  return new RelayError(
    429,
    `The upstreams for '${request.model}' are at their rate limit. Try again in ${retryAfter} s.`,
    { type: 'rate_limit_error', code: 'upstream_rate_limited', retryAfter },
  );
}

/** Why no other channel is tried after a failure. */
export function whyNoneLeft(
  deps: Deps,
  query: RouteQuery,
  tried: TriedChannels,
): 'host_down' | 'others_rest' | 'others_full' | 'no_other_channel' {
  if (query.pin !== undefined || isAllWell(deps.live, tried)) return 'no_other_channel';
  const channels = deps.live.routes.channelsFor(query.group.symbol, query.request.model);
  const reasons = new Set(channels.map((channel) => evaluateChannel(deps, query, channel, tried)));
  if (reasons.has('closed')) return 'others_rest';
  return reasons.has('host_down') ? 'host_down' : 'no_other_channel';
}

/** No channel that could serve the call now meets its wishes. As OpenRouter says it, a 404. */
const notWished = (model: string): RelayError =>
  new RelayError(404, `No provider of '${model}' that is free now meets the wishes in 'provider'.`, {
    type: 'invalid_request_error',
    code: 'no_provider_meets_wishes',
    param: 'provider',
  });

/** No channel that could serve the call now is within the limits of the token. */
const outsideToken = (model: string): RelayError =>
  new RelayError(403, `This API key is limited to providers of which none serves '${model}' now.`, {
    type: 'permission_error',
    code: 'provider_forbidden',
    param: 'model',
  });

const unavailable = (message: string, more: { retryAfter?: string } = {}): RelayError =>
  new RelayError(503, message, { type: 'server_error', code: 'no_available_channel', ...more });

const notPriced = (model: string): RelayError =>
  new RelayError(400, `The model '${model}' has no price yet, so it cannot be called. The administrator can set one.`, {
    type: 'invalid_request_error',
    code: 'model_not_priced',
    param: 'model',
  });
