import type { Rates, Usage } from '@relay-hub/contract';
import { creditsFor, noUsage } from '@relay-hub/contract';
import type { Deps } from '#deps.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel, LiveKey } from '#live/routing-table.ts';
import type { DialectId } from '#chat/codec.ts';
import type { Operation } from '#providers/operation.ts';
import { operationFor } from '#providers/target.ts';
import type { Authenticated } from './authenticate.ts';
import type { ParsedRequest } from './dialects/open-ai.ts';
import { modelNotFound } from './models.ts';
import { RelayError } from './relay-error.ts';

/** What is asked for, and for which group. */
export interface Wanted extends Pick<Authenticated, 'group' | 'pin' | 'except'> {
  operation: 'chat' | 'embeddings';
  /** What the caller speaks. */
  dialect: DialectId;
  request: ParsedRequest;
}

/** What a call has tried already. */
export interface Tried {
  channels: Set<number>;
  /** A channel's key that was refused; another one of the channel may do. */
  keys: Set<number>;
}

/** A channel for a call, with what it is asked for there and what that costs. */
export interface Choice {
  channel: LiveChannel;
  key: LiveKey;
  operation: Operation;
  /** What the upstream is asked for, and what is charged. */
  upstreamModel: string;
  billedModel: string;
  price: BookedPrice;
  rates: Rates;
}

/** Why a channel is not used for a call; undefined: it can be. */
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
  const { live } = deps;
  const { model } = wanted.request;
  const symbol = wanted.group.symbol;
  const channel = pick(deps, wanted, tried);
  if (!channel) {
    if (!live.routes.serves(symbol, model) && !live.routes.rests(symbol, model)) throw modelNotFound(model);
    throw noChannel(deps, wanted);
  }
  const choice = choiceOf(deps, wanted, channel, tried);
  if (!choice) throw notPriced(targetOf(channel, model).billed);
  return choice;
}

/** The same after an attempt that failed: undefined when there is no other channel. */
export function chooseOther(deps: Deps, wanted: Wanted, tried: Tried): Choice | undefined {
  const channel = pick(deps, wanted, tried);
  return channel && choiceOf(deps, wanted, channel, tried);
}

/** Why a channel cannot take a call now. Frozen ones can, when there is no other. */
export function skipOf({ live }: Deps, wanted: Wanted, channel: LiveChannel, tried: Tried): Skip | undefined {
  const { pin, except, request } = wanted;
  if (pin !== undefined && channel.id !== pin) return 'pinned_to_another';
  if (channel.id === except) return 'excluded';
  if (tried.channels.has(channel.id) || channel.keys.every(({ id }) => tried.keys.has(id))) return 'tried';
  if (!canServe(wanted, channel)) return 'not_for_operation';
  if (channel.onlyChat && request.usesTools) return 'only_chat';
  if (request.usesImages && channel.excluded.has('images')) return 'excluded_feature';
  if (request.stream && !streams(channel, request.model)) return 'excluded_feature';
  if (!live.health.untroubled && healthOf(live, wanted, channel) === 'closed') return 'closed';
  return undefined;
}

/** A chat can be translated to any provider; everything else only where the provider speaks OpenAI's dialect. */
function canServe(wanted: Wanted, channel: LiveChannel): boolean {
  const operation = operationOf(wanted, channel);
  return operation !== undefined && (operation.dialect === wanted.dialect || wanted.operation === 'chat');
}

const operationOf = ({ operation, dialect, request }: Wanted, channel: LiveChannel): Operation | undefined => {
  const { upstream } = targetOf(channel, request.model);
  return operationFor(
    channel.provider[operation],
    { model: upstream, baseUrl: channel.baseUrl, extras: { other: channel.other, plugin: channel.plugin } },
    dialect,
  );
};

const streams = ({ excluded, disabledStream }: LiveChannel, model: string): boolean =>
  !excluded.has('streaming') &&
  !disabledStream.some((name) => (name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model));

/** One of a channel's keys, those that were refused lately only if there is no other. */
function pickKey({ live }: Deps, { keys }: LiveChannel, tried: Tried): LiveKey {
  if (keys.length === 1) return keys[0]!;
  const left = keys.filter(({ id }) => !tried.keys.has(id));
  const well = left.filter(({ id }) => live.health.of(-id, ANY_MODEL, Date.now()).health === 'well');
  const from = well.length > 0 ? well : left;
  return from[Math.floor(Math.random() * from.length)] ?? keys[0]!;
}

/** The health of a key is kept under its number below zero, whatever the model. */
export const ANY_MODEL = '*';

function pick(deps: Deps, wanted: Wanted, tried: Tried): LiveChannel | undefined {
  const { live } = deps;
  const { group, request } = wanted;
  const usable = (channel: LiveChannel) => skipOf(deps, wanted, channel, tried) === undefined;
  if (live.health.untroubled) return live.routes.pick(group.symbol, request.model, usable);
  const well = (channel: LiveChannel) => usable(channel) && healthOf(live, wanted, channel) === 'well';
  return live.routes.pick(group.symbol, request.model, well) ?? live.routes.pick(group.symbol, request.model, usable);
}

function healthOf(live: Deps['live'], { request }: Wanted, channel: LiveChannel) {
  return live.health.of(channel.id, targetOf(channel, request.model).upstream, Date.now()).health;
}

/** A leading `+` of a mapped name means: bill what was asked for. */
export function targetOf(channel: LiveChannel, model: string): { upstream: string; billed: string } {
  const target = channel.mapping.get(model);
  const upstream = target?.replace(/^\+/, '') ?? model;
  return { upstream, billed: target?.startsWith('+') ? model : upstream };
}

/** What a channel costs for a call; undefined when the model has no price. */
export function choiceOf(deps: Deps, wanted: Wanted, channel: LiveChannel, tried: Tried): Choice | undefined {
  const { live } = deps;
  const { upstream, billed } = targetOf(channel, wanted.request.model);
  const operation = operationOf(wanted, channel);
  const price = live.prices.find(billed);
  if (!operation || !price) return undefined;
  const rates = price.ratesFor(wanted.group.ratio);
  const key = pickKey(deps, channel, tried);
  return { channel, key, operation, upstreamModel: upstream, billedModel: billed, price, rates };
}

/** The prompt and the caller's limit for the answer; without a limit, the operator's flat amount. */
export function estimate(rates: Rates, { inputTokens, outputLimit }: ParsedRequest, flat: number): number {
  if (rates.free) return 0;
  const usage: Usage = { ...noUsage, input: inputTokens, output: outputLimit ?? 0 };
  // Limits can be absurd; what no balance can cover must still be a number that a database takes.
  return Math.min(
    Number.MAX_SAFE_INTEGER,
    creditsFor(rates, usage) + (outputLimit === undefined && rates.type === 'tokens' ? flat : 0),
  );
}

/** 503, with the time after which a channel comes back where that is known. */
function noChannel({ live }: Deps, wanted: Wanted): RelayError {
  const { group, request } = wanted;
  const now = Date.now();
  const untils = live.routes
    .channelsFor(group.symbol, request.model)
    .map((channel) => live.health.of(channel.id, targetOf(channel, request.model).upstream, now))
    .filter(({ health }) => health === 'closed')
    .map(({ until }) => until);
  const wait = untils.length > 0 ? Math.ceil((Math.min(...untils) - now) / 1000) : undefined;
  return new RelayError(
    503,
    'server_error',
    'no_available_channel',
    `No channel of the group '${group.symbol}' can serve this request for '${request.model}' now.`,
    wait === undefined ? {} : { retryAfter: String(wait) },
  );
}

const notPriced = (model: string): RelayError =>
  new RelayError(
    400,
    'invalid_request_error',
    'model_not_priced',
    `The model '${model}' has no price yet, so it cannot be called. The administrator can set one.`,
    { param: 'model' },
  );
