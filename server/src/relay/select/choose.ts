import type { Rates } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { Caller } from '#live/callers.ts';
import { leadsToAny } from '#live/host-health.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { Authenticated } from '#relay/routes/authenticate.ts';
import { type ChannelState, isKeyWell, isNear, isUntroubled, Rank, stateOf } from './channel-state.ts';
import { modelNotFound } from '#relay/routes/models.ts';
import { type Asking, namesAt, type Offer, offerOf } from './offer.ts';
import { RelayError } from '#relay/routes/relay-error.ts';
import { LONGEST_TOLD_S } from '#relay/outcome/upstream-refusal.ts';

/** What is asked for, and for which group. */
export interface Wanted extends Asking, Pick<Authenticated, 'group' | 'pin' | 'except'> {
  /** Whose call it is; left out where nobody's. */
  caller?: Pick<Caller, 'userId'>;
}

/** What a call has tried already. */
export interface Tried {
  channels: Set<number>;
  /** A channel's key that was refused; another one of the channel may do. */
  keys: Set<number>;
  /** Hosts to which no connection could be made. */
  hosts: Set<string>;
  /** Hosts that broke down or were silent: what is at them may share that fate. */
  failedAt: Set<string>;
  /** The lowest priority of a channel that failed; undefined: none did. */
  lowest: number | undefined;
  /** The next attempt is the last one: channels that have not failed for a while come first, whatever their priority. */
  last: boolean;
  /** There are no attempts left but for such a channel. */
  onlySteady: boolean;
}

export const newTried = (): Tried => ({
  channels: new Set(),
  keys: new Set(),
  hosts: new Set(),
  failedAt: new Set(),
  lowest: undefined,
  last: false,
  onlySteady: false,
});

export const nothingTried: Tried = newTried();

/** An offer whose price is known. */
interface Priced extends Offer {
  price: BookedPrice;
  /** How well the channel is; undefined: nothing is held against any. */
  state: ChannelState | undefined;
}

/** A channel for a call, with what it is asked for there and what that costs. */
export interface Choice extends Omit<Priced, 'state'> {
  key: LiveKey;
  rates: Rates;
  /** It rests, and this call tries whether it works again. */
  probe?: boolean;
}

/** Why a channel is not used for a call. */
export type Skip =
  | 'tried'
  | 'pinned_to_another'
  | 'excluded'
  | 'not_for_operation'
  | 'only_chat'
  | 'excluded_feature'
  | 'closed'
  | 'host_down'
  | 'unpriced';

/** A channel for a call, leaving out those that were tried. Throws when there is none, or the model has no price. */
export function choose(deps: Deps, wanted: Wanted, tried: Tried): Choice {
  const offer = pick(deps, wanted, tried);
  if (!offer) throw noChoice(deps, wanted, tried);
  return chosen(deps, wanted, offer, tried);
}

/** The same after an attempt that failed: undefined when there is no other channel. */
export function chooseOther(deps: Deps, wanted: Wanted, tried: Tried): Choice | undefined {
  const offer = pick(deps, wanted, tried);
  return offer && chosen(deps, wanted, offer, tried);
}

/**
 * What a channel offers for a call now, or why it cannot take it. Frozen ones can, when there is no other. One that an
 * administrator has pinned is asked whatever else speaks against it.
 */
export function consider({ live }: Deps, wanted: Wanted, channel: LiveChannel, tried: Tried): Priced | Skip {
  const { pin, except, request } = wanted;
  if (pin !== undefined && channel.id !== pin) return 'pinned_to_another';
  if (channel.id === except) return 'excluded';
  if (tried.channels.has(channel.id) || (tried.keys.size > 0 && channel.keys.every(({ id }) => tried.keys.has(id))))
    return 'tried';
  const offer = offerOf(wanted, channel);
  if (!offer) return 'not_for_operation';
  if (pin === undefined) {
    if (channel.onlyChat && request.usesTools) return 'only_chat';
    if (request.usesImages && channel.excluded.has('images')) return 'excluded_feature';
    if (request.stream && !streams(channel, request.model)) return 'excluded_feature';
  }
  const state = isUntroubled(live, tried) ? undefined : stateOf(live, wanted, offer, tried);
  if (pin === undefined && state?.rank === Rank.never) return state.isOfHost ? 'host_down' : 'closed';
  const price = live.prices.find(offer.billedModel);
  if (!price) return 'unpriced';
  const { operation, upstreamModel, billedModel, steering } = offer;
  return { channel, operation, upstreamModel, billedModel, steering, price, state };
}

const streams = ({ excluded, disabledStream }: LiveChannel, model: string): boolean =>
  !excluded.has('streaming') &&
  !disabledStream.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model));

/** One of a channel's keys, those that were refused lately, or whose host is away, only if there is no other. */
function pickKey({ live }: Deps, wanted: Wanted, { channel, operation }: Offer, tried: Tried): LiveKey {
  const { keys } = channel;
  if (keys.length === 1) return keys[0]!;
  const left = keys.filter(({ id }) => !tried.keys.has(id));
  let from = left.filter((key) => isKeyWell(live, wanted, key));
  if (from.length === 0) from = left;
  if (!live.hosts.untroubled) {
    const near = from.filter((key) => isNear(live.hosts.of(live.hosts.routeOf(channel, key, operation), Date.now())));
    if (near.length > 0) from = near;
  }
  return from[Math.floor(Math.random() * from.length)] ?? keys[0]!;
}

function pick(deps: Deps, wanted: Wanted, tried: Tried): Priced | undefined {
  const { live } = deps;
  const { group, request, pin } = wanted;
  let last: Priced | undefined;
  let rank: number = Rank.lastResort;
  let best: number = Rank.never;
  const usable = (channel: LiveChannel): boolean => {
    const considered = consider(deps, wanted, channel, tried);
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
    return pinned && usable(pinned) ? last : undefined;
  }
  const draw = (among: (channel: LiveChannel) => boolean) => live.routes.pick(group.symbol, request.model, among);
  let channel: LiveChannel | undefined;
  if (isUntroubled(live, tried) && tried.lowest === undefined) channel = draw(usable);
  else {
    rank = Rank.well;
    channel = drawWell(live, tried, usable, () => last!, draw);
    if (!tried.onlySteady) channel ??= draw(usable);
    // None is well, and by now each was looked at.
    if (!channel && !tried.onlySteady && best < Rank.never) {
      rank = best;
      channel = draw(usable);
    }
  }
  if (!channel) return undefined;
  // The one that was drawn is nearly always the one that was looked at last.
  if (last?.channel !== channel) usable(channel);
  return last;
}

type Usable = (channel: LiveChannel) => boolean;

/** After a failure, the channel whose answer is the most likely; undefined where there is no such preference. */
function drawWell(
  { health, hosts }: Deps['live'],
  tried: Tried,
  usable: Usable,
  offered: () => Priced,
  draw: (among: Usable) => LiveChannel | undefined,
): LiveChannel | undefined {
  const { failedAt, lowest, last, onlySteady } = tried;
  if (lowest === undefined) return undefined;
  const isElsewhere: Usable = (channel) => {
    if (!usable(channel)) return false;
    const { operation } = offered();
    return channel.keys.some((key) => !leadsToAny(hosts.routeOf(channel, key, operation), failedAt));
  };
  const isSteady: Usable = (channel) => isElsewhere(channel) && health.isSteady(channel.id, offered().upstreamModel);
  let channel: LiveChannel | undefined;
  // The last attempt goes to another priority, unless it is the only one besides the first.
  if (last && tried.channels.size > 1) channel = draw((one) => one.priority < lowest && isSteady(one));
  if (last) channel ??= draw(isSteady);
  if (!onlySteady) channel ??= draw((one) => one.priority >= lowest && isElsewhere(one));
  return channel;
}

function chosen(deps: Deps, wanted: Wanted, offer: Priced, tried: Tried): Choice {
  const { channel, operation, upstreamModel, billedModel, steering, price, state } = offer;
  const key = pickKey(deps, wanted, offer, tried);
  const rates = price.ratesFor(wanted.group.ratio);
  const probe = state?.probe ?? false;
  return { channel, operation, upstreamModel, billedModel, steering, price, key, rates, probe };
}

/** Why a call has no channel. */
function noChoice(deps: Deps, wanted: Wanted, tried: Tried): RelayError {
  const { routes } = deps.live;
  const { group, request, pin } = wanted;
  const pinned = pin === undefined ? undefined : routes.channel(pin);
  if (pin === undefined && !routes.serves(group.symbol, request.model) && !routes.rests(group.symbol, request.model))
    return modelNotFound(request.model);
  const channels = pin === undefined ? routes.channelsFor(group.symbol, request.model) : pinned ? [pinned] : [];
  const unpriced = channels.find((channel) => consider(deps, wanted, channel, tried) === 'unpriced');
  if (unpriced) return notPriced(namesAt(unpriced, request.model).billed);
  if (pin === undefined) return noChannel(deps, wanted, channels);
  const why = pinned ? 'cannot serve this request' : 'is not there, or switched off';
  return unavailable(`The channel ${pin} that the API key names ${why}.`);
}

/**
 * 503, or 429 where all that is left rests for its rate, with the time after which to come again. A probe is let through
 * before a rest is over, so that time is never long.
 */
function noChannel(deps: Deps, wanted: Wanted, channels: readonly LiveChannel[]): RelayError {
  const { live } = deps;
  const { group, request } = wanted;
  const now = Date.now();
  let soonest = Infinity;
  let isRate = true;
  for (const channel of channels) {
    const considered = consider(deps, wanted, channel, nothingTried);
    if (considered !== 'closed' && considered !== 'host_down') continue;
    const offer = offerOf(wanted, channel);
    if (!offer) continue;
    const state = stateOf(live, wanted, offer, nothingTried);
    soonest = Math.min(soonest, state?.until ?? now);
    isRate &&= state?.cause === 'rate';
  }
  if (soonest === Infinity)
    return unavailable(`No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`);
  const retryAfter = String(Math.min(LONGEST_TOLD_S, Math.max(1, Math.ceil((soonest - now) / 1000))));
  if (!isRate)
    return unavailable(`No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`, {
      retryAfter,
    });
  return new RelayError(
    429,
    'rate_limit_error',
    'upstream_rate_limited',
    `The upstreams for '${request.model}' are at their rate limit. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

/** Why no other channel is asked after a failure. */
export function whyNoOther(deps: Deps, wanted: Wanted, tried: Tried): 'host_down' | 'others_rest' | 'no_other_channel' {
  if (wanted.pin !== undefined || isUntroubled(deps.live, tried)) return 'no_other_channel';
  const channels = deps.live.routes.channelsFor(wanted.group.symbol, wanted.request.model);
  const reasons = new Set(channels.map((channel) => consider(deps, wanted, channel, tried)));
  if (reasons.has('closed')) return 'others_rest';
  return reasons.has('host_down') ? 'host_down' : 'no_other_channel';
}

const unavailable = (message: string, more: { retryAfter?: string } = {}): RelayError =>
  new RelayError(503, 'server_error', 'no_available_channel', message, more);

const notPriced = (model: string): RelayError =>
  new RelayError(
    400,
    'invalid_request_error',
    'model_not_priced',
    `The model '${model}' has no price yet, so it cannot be called. The administrator can set one.`,
    { param: 'model' },
  );
