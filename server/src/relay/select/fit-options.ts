import {
  dearestRates,
  type EventCounts,
  feeEvents,
  isIn,
  type PriceRule,
  type Rates,
  rulesFor,
  type ServiceMode,
  type UnpricedPolicy,
} from '@relay-hub/contract';
import type { Buffer } from 'node:buffer';
import type { Deps } from '#deps.ts';
import { objectOf } from '#json.ts';
import type { BookedPrice } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { regionOfCall } from '#providers/region-of-call.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { ChannelChoice, FittedOptions, RelayCall } from '#relay/types/call-types.ts';
import { type BilledOption, billedOptions, withoutOptions } from '#usage/billed-options.ts';

/** The site's policies for options without a price. */
interface SitePolicies {
  UnpricedTiers: UnpricedPolicy;
  UnpricedTools: UnpricedPolicy;
}

const none: EventCounts = {};

/**
 * Sets what the request orders at a channel, and the rates that it reserves by. Throws a 400 that names an option
 * without a price. `isOwn`: the channel's own rules have written the request, so nothing more is removed or refused.
 */
export function fitChoice(
  { live, now }: Pick<Deps, 'live' | 'now'>,
  { json, body, group, request }: Pick<RelayCall, 'json' | 'body' | 'group' | 'request'>,
  choice: ChannelChoice,
  isOwn = false,
): void {
  const { price, options: before } = choice;
  const { inputTokens } = request;
  const options = fitOptions(json, choice, isOwn ? passAll : live.settings);
  choice.options =
    isOwn && options && before ? { ...options, removed: before.removed, unpriced: before.unpriced } : options;
  choice.rates = reservedRates({ price, groupRatio: group.ratio, inputTokens, options, now: now(), body });
}

const passAll: SitePolicies = { UnpricedTiers: 'pass', UnpricedTools: 'pass' };

function policyFor({ kind }: BilledOption, { unpriced: own }: LiveChannel, site: SitePolicies): UnpricedPolicy {
  if (site === passAll) return 'pass';
  return kind === 'tool' ? (own.tools ?? site.UnpricedTools) : (own.tiers ?? site.UnpricedTiers);
}

/**
 * What a request orders besides tokens, and how the channel's copy of it must change so that nothing dear is sent
 * unpriced. Throws a 400 that names the field if the policy is to refuse.
 */
function fitOptions(
  json: unknown,
  { channel, price, upstreamModel }: Pick<ChannelChoice, 'channel' | 'price' | 'upstreamModel'>,
  site: SitePolicies,
): FittedOptions | undefined {
  const options = billedOptions(json);
  const hasTerms = (price.rules?.length ?? 0) > 0 || (price.fees?.length ?? 0) > 0;
  if (options.length === 0 && !hasTerms) return undefined;
  const { baseUrl, other, provider } = channel;
  const modes: ServiceMode[] = channel.defaultTier && namesNoTier(json) ? [channel.defaultTier] : [];
  const fitted: FittedOptions = {
    modes,
    region: regionOfCall({ type: provider.type, baseUrl, other, upstreamModel }),
    events: price.fees?.some(({ event }) => event === 'request') ? { request: 1 } : none,
    sessionUnits: 1,
    unpriced: [],
    removed: [],
    changes: undefined,
  };
  const isFree = price.ratesFor(1).free && !hasTerms;
  const dropped: BilledOption[] = [];
  const unlimited: (BilledOption & { kind: 'tool' })[] = [];
  for (const option of options) {
    if (isFree || isPriced(option, price)) take(fitted, option, price, unlimited);
    else {
      const policy = policyFor(option, channel, site);
      if (policy === 'refuse') throw unpriced(option, price.model || upstreamModel);
      fitted.unpriced.push(option.field);
      if (policy === 'remove') dropped.push(option);
    }
  }
  const request = objectOf(json);
  if (request && (dropped.length > 0 || unlimited.length > 0)) {
    const removed = withoutOptions(request, dropped);
    fitted.removed = dropped.map(({ field }) => field);
    fitted.changes = { ...removed, ...limitsFor({ ...request, ...removed }, unlimited, price) };
  }
  return fitted;
}

/** The provider's project decides on the tier. */
function namesNoTier(json: unknown): boolean {
  const request = objectOf(json);
  const tier = request?.['service_tier'] ?? request?.['serviceTier'];
  return tier === undefined || tier === null || tier === 'auto';
}

function isPriced(option: BilledOption, { rules = [], fees = [] }: BookedPrice): boolean {
  if (option.kind === 'tool') return fees.some(({ event }) => option.events.includes(event));
  if (option.kind === 'mode') return rules.some(({ modes }) => modes?.includes(option.mode) === true);
  return rules.some(({ regions }) => regions !== undefined && isIn(regions, option.region));
}

/** Notes a priced option, and reserves the events that its fee may charge. */
function take(
  fitted: FittedOptions,
  option: BilledOption,
  { fees = [] }: BookedPrice,
  unlimited: (BilledOption & { kind: 'tool' })[],
): void {
  if (option.kind === 'mode') fitted.modes.push(option.mode);
  else if (option.kind === 'region') fitted.region = option.region;
  else {
    const events = { ...fitted.events };
    for (const { event, most } of fees) {
      if (!option.events.includes(event) || event === 'request') continue;
      // A container is started once, however often its tool is called.
      const calls = event === 'code_session' ? most : (option.most ?? most);
      events[event] = (events[event] ?? 0) + calls * option.units;
    }
    fitted.events = events;
    fitted.sessionUnits = Math.max(fitted.sessionUnits, option.units);
    if (option.most === undefined && option.limitAs !== undefined && !option.events.includes('code_session'))
      unlimited.push(option);
  }
}

/** Limits of hosted tools as assumed by the price, written into the request so that the reservation covers them. */
function limitsFor(
  request: Record<string, unknown>,
  unlimited: readonly (BilledOption & { kind: 'tool' })[],
  { fees = [] }: BookedPrice,
): Record<string, unknown> {
  const mostOf = (option: BilledOption & { kind: 'tool' }): number =>
    Math.max(0, ...fees.filter(({ event }) => option.events.includes(event)).map(({ most }) => most));
  const changes: Record<string, unknown> = {};
  const together = unlimited.filter(({ limitAs }) => limitAs === 'max_tool_calls').map(mostOf);
  if (together.length > 0) changes['max_tool_calls'] = together.reduce((sum, most) => sum + most, 0);
  const each = unlimited.filter(({ limitAs }) => limitAs === 'max_uses');
  const { tools } = request;
  if (each.length > 0 && Array.isArray(tools)) {
    const types = new Map(each.map((option) => [option.type, mostOf(option)]));
    changes['tools'] = (tools as unknown[]).map((one) => {
      const tool = objectOf(one);
      const most = types.get(String(tool?.['type']));
      return tool && most !== undefined && tool['max_uses'] === undefined ? { ...tool, max_uses: most } : one;
    });
  }
  return changes;
}

function unpriced(option: BilledOption, model: string): RelayError {
  const what = option.kind === 'tool' ? 'the fee of this tool' : option.kind === 'mode' ? 'this tier' : 'this region';
  return new RelayError(
    400,
    `'${option.field}' costs extra at the provider, and the model '${model}' has no price for ${what}. Leave it out, or ask the administrator to add the price.`,
    { type: 'invalid_request_error', code: 'option_not_priced', param: option.field },
  );
}

/** Prompts are estimated, so lengths up to this multiple are reserved for. */
const LENGTH_DOUBT = 1.5;
/** Longest delay in seconds until the attempt that answers begins. */
const START_DOUBT_S = 900;

interface ReservedFor {
  price: BookedPrice;
  groupRatio: number;
  inputTokens: number;
  options: FittedOptions | undefined;
  /** Unix seconds. */
  now: number;
  /** The caller's body, which may ask for cache writes with a long lifetime. */
  body: Buffer | undefined;
}

/** The highest rates that a call may be charged by, over all ways in which its request permits to serve it. */
function reservedRates({ price, groupRatio, inputTokens, options, now, body }: ReservedFor): Rates {
  const { rules = [] } = price;
  const plain = price.ratesFor(groupRatio);
  if (plain.free && rules.length === 0) return plain;
  let rates = plain;
  if (rules.length > 0 && options) {
    const sets = new Map<string, PriceRule[]>();
    for (const served of waysToServe(rules, options, inputTokens, now)) {
      const held = rulesFor(rules, served);
      sets.set(held.map((rule) => rules.indexOf(rule)).join(), held);
    }
    rates = dearestOf(price, groupRatio, sets);
  }
  return withCacheWrites(rates, price, body);
}

/** Few ways to serve occur for a price, so their highest rates are computed once. */
const dearest = new WeakMap<BookedPrice, Map<string, Rates>>();

function dearestOf(price: BookedPrice, groupRatio: number, sets: ReadonlyMap<string, PriceRule[]>): Rates {
  let known = dearest.get(price);
  if (!known) dearest.set(price, (known = new Map()));
  const key = `${groupRatio} ${[...sets.keys()].join(';')}`;
  let rates = known.get(key);
  if (!rates) {
    const [first = price.ratesFor(groupRatio), ...others] = [...sets.values()].map((held) =>
      price.ratesFor(groupRatio, held),
    );
    known.set(key, (rates = dearestRates([first, ...others])));
  }
  return rates;
}

function* waysToServe(rules: readonly PriceRule[], options: FittedOptions, inputTokens: number, now: number) {
  const { region, events } = options;
  // Hosted tools read on, so that every length can come.
  const searches = feeEvents.some((event) => event !== 'request' && (events[event] ?? 0) > 0);
  const longest = searches ? Infinity : inputTokens * LENGTH_DOUBT;
  const lengths = [
    inputTokens,
    ...rules.flatMap(({ over = -1 }) => (over >= inputTokens && over < longest ? [over + 1] : [])),
  ];
  const modes: (readonly ServiceMode[])[] =
    options.modes.length > 0 ? [[], ...options.modes.map((one) => [one]), options.modes] : [[]];
  const times = rules.some(isTimed) ? [now, now + START_DOUBT_S] : [now];
  const reasons = rules.some(({ reasoning }) => reasoning !== undefined) ? [true, false] : [false];
  for (const promptTokens of lengths)
    for (const served of modes)
      for (const at of times)
        for (const reasoning of reasons) yield { promptTokens, modes: served, at, reasoning, region };
}

const isTimed = ({ zone, valid_from: from, valid_to: to }: PriceRule): boolean =>
  zone !== undefined || from !== undefined || to !== undefined;

const longLives = ['"1h"', '"12h"'];

/** Any part of the prompt may be written to the provider's cache, which the reservation counts as input. */
function withCacheWrites(rates: Rates, { extra_ratios: extra }: BookedPrice, body: Buffer | undefined): Rates {
  const { input, cacheWrite, cacheWrite1h } = rates.perToken;
  const isLong =
    extra.cached_write_1h_ratio !== undefined && body !== undefined && longLives.some((life) => body.includes(life));
  const write = extra.cached_write_ratio === undefined ? 0n : cacheWrite;
  const most = [input, write, isLong ? cacheWrite1h : 0n].reduce((high, rate) => (rate > high ? rate : high));
  return most === input ? rates : { ...rates, perToken: { ...rates.perToken, input: most } };
}
