import type { Rates, Usage } from '@relay-hub/contract';
import { creditsFor, noUsage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { Authenticated } from './authenticate.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { modelNotFound } from './models.ts';
import { type Asking, namesAt, type Offer, offerOf } from './offer.ts';
import { RelayError } from './relay-error.ts';

/** What is asked for, and for which group. */
export interface Wanted extends Asking, Pick<Authenticated, 'group' | 'pin' | 'except'> {}

/** What a call has tried already. */
export interface Tried {
  channels: Set<number>;
  /** A channel's key that was refused; another one of the channel may do. */
  keys: Set<number>;
}

export const nothingTried: Tried = { channels: new Set(), keys: new Set() };

/** An offer whose price is known. */
interface Priced extends Offer {
  price: BookedPrice;
}

/** A channel for a call, with what it is asked for there and what that costs. */
export interface Choice extends Priced {
  key: LiveKey;
  rates: Rates;
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
    if (!live.health.untroubled && healthOf(live, offer) === 'closed') return 'closed';
  }
  const price = live.prices.find(offer.billedModel);
  if (!price) return 'unpriced';
  const { operation, upstreamModel, billedModel, steering } = offer;
  return { channel, operation, upstreamModel, billedModel, steering, price };
}

const streams = ({ excluded, disabledStream }: LiveChannel, model: string): boolean =>
  !excluded.has('streaming') &&
  !disabledStream.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model));

/** One of a channel's keys, those that were refused lately only if there is no other. */
function pickKey({ live }: Deps, { keys }: LiveChannel, tried: Tried): LiveKey {
  if (keys.length === 1) return keys[0]!;
  const left = keys.filter(({ id }) => !tried.keys.has(id));
  const well = left.filter(({ id }) => live.keyHealth.of(id, ANY_MODEL, Date.now()).health === 'well');
  const from = well.length > 0 ? well : left;
  return from[Math.floor(Math.random() * from.length)] ?? keys[0]!;
}

/** A key is refused whatever the model. */
export const ANY_MODEL = '*';

function pick(deps: Deps, wanted: Wanted, tried: Tried): Priced | undefined {
  const { live } = deps;
  const { group, request, pin } = wanted;
  let last: Priced | undefined;
  const usable = (channel: LiveChannel): boolean => {
    const considered = consider(deps, wanted, channel, tried);
    if (typeof considered === 'string') return false;
    last = considered;
    return true;
  };
  if (pin !== undefined) {
    const pinned = live.routes.channel(pin);
    return pinned && usable(pinned) ? last : undefined;
  }
  const well = (channel: LiveChannel): boolean => usable(channel) && healthOf(live, last!) === 'well';
  const channel =
    (live.health.untroubled ? undefined : live.routes.pick(group.symbol, request.model, well)) ??
    live.routes.pick(group.symbol, request.model, usable);
  if (!channel) return undefined;
  // The one that was drawn is nearly always the one that was looked at last.
  if (last?.channel !== channel) usable(channel);
  return last;
}

const healthOf = (live: Deps['live'], { channel, upstreamModel }: Offer) =>
  live.health.of(channel.id, upstreamModel, Date.now()).health;

function chosen(deps: Deps, { group }: Wanted, offer: Priced, tried: Tried): Choice {
  const { channel, operation, upstreamModel, billedModel, steering, price } = offer;
  const key = pickKey(deps, channel, tried);
  return { channel, operation, upstreamModel, billedModel, steering, price, key, rates: price.ratesFor(group.ratio) };
}

/** How a channel has a prompt counted before a call; see `LiveChannel.preCost`. */
const COUNT_ALL = 1;
const COUNT_NO_IMAGES = 2;

function countedInput({ inputTokens, imageTokens = 0 }: ParsedRequest, preCost: number): number {
  if (preCost === COUNT_ALL) return inputTokens;
  return preCost === COUNT_NO_IMAGES ? inputTokens - imageTokens : 0;
}

/** The prompt and the caller's limit for the answer; without a limit, the operator's flat amount. */
export function estimate(rates: Rates, request: ParsedRequest, flat: number, preCost = COUNT_ALL): number {
  const { outputLimit, assumed } = request;
  if (rates.free) return 0;
  const usage: Usage = assumed ?? { ...noUsage, input: countedInput(request, preCost), output: outputLimit ?? 0 };
  // Limits can be absurd; what no balance can cover must still be a number that a database takes.
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    creditsFor(rates, usage) + (outputLimit === undefined && rates.type === 'tokens' ? flat : 0),
  );
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

/** 503, with the time after which a channel comes back where that is known. */
function noChannel({ live }: Deps, { group, request }: Wanted, channels: readonly LiveChannel[]): RelayError {
  const now = Date.now();
  const untils = channels
    .map((channel) => live.health.of(channel.id, namesAt(channel, request.model).upstream, now))
    .filter(({ health }) => health === 'closed')
    .map(({ until }) => until);
  const wait = untils.length > 0 ? Math.ceil((Math.min(...untils) - now) / 1000) : undefined;
  return unavailable(
    `No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`,
    wait === undefined ? {} : { retryAfter: String(wait) },
  );
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
