import {
  creditsFor,
  dearestRates,
  type EventCounts,
  feeEvents,
  isIn,
  isInTime,
  kindNames,
  kindOf,
  noUsage,
  type PriceRule,
  type Rates,
  rulesFor,
  type Served,
  type ServiceMode,
  type UnpricedPolicy,
  type UsageKind,
} from '@relay-hub/contract';
import type { Buffer } from 'node:buffer';
import type { Deps } from '#deps.ts';
import { hasWord, objectOf, textOr } from '#json.ts';
import type { BookedPrice, PriceBook } from '#live/price-book.ts';
import type { LiveChannel } from '#live/routing-table.ts';
import { regionOfCall } from '#providers/region-of-call.ts';
import { RelayError } from '#relay/reply/relay-error.ts';
import type { ChannelChoice, FittedOptions, OtherModel, RelayCall } from '#relay/types/call-types.ts';
import { ADVISOR, type BilledOption, billedOptions, withoutOptions } from '#usage/billed-options.ts';

/** The site's policies for options without a price. */
interface SitePolicies {
  UnpricedTiers: UnpricedPolicy;
  UnpricedTools: UnpricedPolicy;
}

const none: EventCounts = {};

/**
 * Sets what the request orders at a channel, and the rates that it reserves by. Throws a 400 that names an option
 * without a price; `isFinal` false: rules may still remove it, and `refitChoice` throws if they do not.
 */
export function fitChoice(deps: FitDeps, call: FittedCall, choice: ChannelChoice, isFinal = true): void {
  const { policies, prices } = { policies: deps.live.settings, prices: deps.live.prices };
  choice.options = fitOptions(call, choice, { policies, prices });
  const [refused] = choice.options?.refused ?? [];
  if (refused && isFinal) throw unpriced(refused, choice);
  setRates(deps, call, choice);
}

/**
 * The same for a request that the channel's own rules have written, which may add any option. Throws for one that was
 * refused before and is still there.
 */
export function refitChoice(deps: FitDeps, call: FittedCall, choice: ChannelChoice): void {
  const { options: before } = choice;
  const left = billedOptions(call.json);
  const kept = before?.refused.find((one) => left.some((other) => isSame(one, other)));
  if (kept) throw unpriced(kept, choice);
  const options = fitOptions(call, choice, { policies: passAll, prices: deps.live.prices });
  const gone = new Set(before?.refused.map(({ field }) => field));
  if (options && before)
    Object.assign(options, { removed: before.removed, unpriced: before.unpriced.filter((field) => !gone.has(field)) });
  choice.options = options;
  setRates(deps, call, choice);
}

/**
 * Throws a 400 for an option of a request that is charged as a sum with others, so that neither its tier nor its events
 * are known: sessions and batches. Passes if the policy is to pass options without a price.
 */
export function refuseOptions({ live }: Pick<Deps, 'live'>, choice: ChannelChoice, json: unknown): void {
  const { channel, price } = choice;
  if (price.ratesFor(1).free) return;
  for (const option of billedOptions(json))
    if (policyFor(option, channel, live.settings) !== 'pass') throw unpriced(option, choice, 'here');
}

type FitDeps = Pick<Deps, 'live' | 'now'>;
type FittedCall = Pick<RelayCall, 'json' | 'body' | 'group' | 'request' | 'operation' | 'dialect'>;

function setRates({ now }: FitDeps, { body, group, request, operation }: FittedCall, choice: ChannelChoice): void {
  const { price, options } = choice;
  const { inputTokens, outputLimit = 0 } = request;
  const hasLength = hasPromptLength(operation);
  const call = { price, groupRatio: group.ratio, inputTokens, hasLength, options, now: now(), body };
  choice.rates = reservedRates(call);
  if (!options) return;
  for (const other of options.others) {
    const rates = reservedRates({ ...call, price: other.price });
    const { perToken } = rates;
    // The dearest kind of image tokens is reserved for all of them.
    const image = perToken.outputImage > perToken.output ? perToken.outputImage : perToken.output;
    const dear = other.perImage === undefined ? rates : { ...rates, perToken: { ...perToken, output: image } };
    // It reads what was said so far.
    const one = { ...noUsage, input: inputTokens + outputLimit + PICTURE, output: other.output };
    options.otherCredits += other.uses * creditsFor(dear, one);
  }
}

/** Calls whose usage is a sum over several prompts have no length. */
export const hasPromptLength = (operation: RelayCall['operation']): boolean =>
  operation !== 'realtime' && operation !== 'tasks' && operation !== 'raw';

const passAll: SitePolicies = { UnpricedTiers: 'pass', UnpricedTools: 'pass' };

function policyFor({ kind }: BilledOption, { unpriced: own }: LiveChannel, site: SitePolicies): UnpricedPolicy {
  if (site === passAll) return 'pass';
  const isTool = kind === 'tool' || kind === 'model';
  return isTool ? (own.tools ?? site.UnpricedTools) : (own.tiers ?? site.UnpricedTiers);
}

/** Whether two options of different spelling order the same. */
function isSame(one: BilledOption, other: BilledOption): boolean {
  if (one.kind === 'tool') return other.kind === 'tool' && one.events === other.events;
  if (one.kind === 'region') return other.kind === 'region' && one.region === other.region;
  if (one.kind === 'model') return other.kind === 'model' && one.model === other.model;
  return other.kind === 'mode' && one.mode === other.mode;
}

interface FitTerms {
  policies: SitePolicies;
  prices: Pick<PriceBook, 'find'>;
}

/** Options that a request orders besides tokens, and how the channel's copy of it must change so that nothing dear is unpriced. */
function fitOptions(
  { json, dialect }: Pick<FittedCall, 'json' | 'dialect'>,
  { channel, price, upstreamModel, operation }: ChannelChoice,
  { policies, prices }: FitTerms,
): FittedOptions | undefined {
  const options = billedOptions(json, operation.dialect === 'gemini' && dialect !== 'gemini');
  const hasTerms = (price.rules?.length ?? 0) > 0 || (price.fees?.length ?? 0) > 0;
  if (options.length === 0 && !hasTerms) return undefined;
  const { baseUrl, other, provider } = channel;
  const modes: ServiceMode[] = channel.defaultTier && namesNoTier(json) ? [channel.defaultTier] : [];
  const fitted: FittedOptions = {
    modes,
    region: regionOfCall({ type: provider.type, baseUrl, other, upstreamModel }),
    events: price.fees?.some(({ event }) => event === 'request') ? { request: 1 } : none,
    sessionUnits: 1,
    others: [],
    otherCredits: 0,
    unpriced: [],
    removed: [],
    refused: [],
    changes: undefined,
  };
  const isFree = options.length > 0 && !hasTerms && price.ratesFor(1).free;
  const dropped: BilledOption[] = [];
  const unlimited: BilledOption[] = [];
  const by: PricedBy = { price, prices, upstreamModel, imageModel: usualImageModel(provider.id) };
  for (const option of options) {
    if (isFree || isPriced(option, by)) take(fitted, option, by, unlimited);
    else {
      const policy = policyFor(option, channel, policies);
      fitted.unpriced.push(option.field);
      if (policy === 'refuse') fitted.refused.push(option);
      else if (policy === 'remove') dropped.push(option);
      else take(fitted, option, by, unlimited);
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

interface PricedBy {
  price: BookedPrice;
  prices: Pick<PriceBook, 'find'>;
  upstreamModel: string;
  /** The model behind a tool that makes images and names none; empty: unknown. */
  imageModel: string;
}

/** OpenAI's, by its API reference of November 2026. */
const usualImageModel = (provider: string): string =>
  provider === 'openai' || provider.startsWith('azure') ? 'gpt-image-2.6-sunburst' : '';

function isPriced(option: BilledOption, by: PricedBy): boolean {
  const { price, prices, upstreamModel } = by;
  const { rules = [], fees = [] } = price;
  if (option.kind === 'tool')
    return fees.some(({ event }) => option.events.includes(event)) || otherModel(option, by) !== undefined;
  if (option.kind === 'region')
    return rules.some(({ regions }) => regions !== undefined && isIn(regions, option.region));
  if (option.kind === 'model') {
    const { model, limits } = option;
    if (limits) return otherModel(option, by) !== undefined;
    return model === price.model || model === upstreamModel || isWithin(prices.find(model), price);
  }
  const { mode } = option;
  return mode !== undefined && rules.some(({ modes }) => modes?.includes(mode) === true);
}

const MANY = 1_000_000_000;

/** Whether a price is at most another one, for each kind of token. */
function isWithin(other: BookedPrice | undefined, price: BookedPrice): boolean {
  if (other?.type !== 'tokens' || price.type !== 'tokens') return false;
  const [rates, limit] = [other.ratesFor(1), price.ratesFor(1)];
  const cost = (of: Rates, kind: UsageKind): number => creditsFor(of, { ...noUsage, [kind]: MANY });
  return kindNames.every((kind) => cost(rates, kind) <= cost(limit, kind));
}

/** Answers of an adviser and images that are reserved for without a limit, and written into the request. */
const ASSUMED_USES = 3;
/** Longest answer of an adviser without a limit; likewise. */
const ASSUMED_ANSWER = 4096;
/** Tokens of a large image. */
const LARGE_IMAGE = 8192;
/** Tokens of a picture that is read. */
const PICTURE = 1024;
/** Tokens of an image by its quality, as OpenAI's guide lists them; the highest is assumed where none is named. */
const imageTokens: Readonly<Record<string, number>> = { low: 272, medium: 1056 };
const FINE_IMAGE = 4160;

/** The other model that an option lets work for the call; undefined: none that has a price, or its images have a fee. */
function otherModel(
  option: BilledOption,
  { price, prices, upstreamModel, imageModel }: PricedBy,
): OtherModel | undefined {
  if (option.kind === 'model' && option.limits) {
    const { model: name, limits } = option;
    const own = name === upstreamModel || name === price.model ? price : prices.find(name);
    return own && { name, price: own, uses: limits.uses ?? ASSUMED_USES, output: limits.output ?? ASSUMED_ANSWER };
  }
  if (option.kind !== 'tool' || !option.images || price.fees?.some(({ event }) => event === 'image')) return undefined;
  const { quality } = option.images;
  const name = option.images.model || imageModel;
  const own = name === '' ? undefined : prices.find(name);
  const perImage = (Object.hasOwn(imageTokens, quality) ? imageTokens[quality] : undefined) ?? FINE_IMAGE;
  return own && { name, price: own, uses: option.most ?? ASSUMED_USES, output: LARGE_IMAGE, perImage };
}

/** Notes a priced option, and reserves the events that its fee may charge. */
function take(fitted: FittedOptions, option: BilledOption, by: PricedBy, unlimited: BilledOption[]): void {
  const { fees = [] } = by.price;
  const other = otherModel(option, by);
  if (other) fitted.others.push(other);
  if (option.kind === 'model') {
    const { limits } = option;
    if (limits && (limits.uses === undefined || limits.output === undefined)) unlimited.push(option);
  } else if (option.kind === 'mode') {
    if (option.mode) fitted.modes.push(option.mode);
  } else if (option.kind === 'region') fitted.region = option.region;
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
  options: readonly BilledOption[],
  { fees = [] }: BookedPrice,
): Record<string, unknown> {
  const mostOf = ({ events, images }: BilledOption & { kind: 'tool' }): number => {
    const own = fees.filter(({ event }) => events.includes(event)).map(({ most }) => most);
    return images && own.length === 0 ? ASSUMED_USES : Math.max(0, ...own);
  };
  // A tool that is passed without a price has no limit.
  const unlimited = options.filter((option) => option.kind === 'tool').filter((tool) => mostOf(tool) > 0);
  const changes: Record<string, unknown> = {};
  const together = unlimited.filter(({ limitAs }) => limitAs === 'max_tool_calls').map(mostOf);
  if (together.length > 0) changes['max_tool_calls'] = together.reduce((sum, most) => sum + most, 0);
  const each = unlimited.filter(({ limitAs }) => limitAs === 'max_uses');
  const advisers = options.filter((option) => option.kind === 'model').map(({ model }) => model);
  const { tools } = request;
  if (each.length + advisers.length > 0 && Array.isArray(tools)) {
    const types = new Map(each.map((option) => [option.type, mostOf(option)]));
    changes['tools'] = (tools as unknown[]).map((one) => {
      const tool = objectOf(one);
      if (!tool) return one;
      const type = textOr(tool['type'], '');
      const isAdviser = type.startsWith(ADVISOR) && advisers.includes(textOr(tool['model'], ''));
      const most = isAdviser ? ASSUMED_USES : types.get(type);
      const limited = most === undefined ? tool : { ...tool, max_uses: tool['max_uses'] ?? most };
      return isAdviser ? { ...limited, max_tokens: tool['max_tokens'] ?? ASSUMED_ANSWER } : limited;
    });
  }
  return changes;
}

const missing = {
  tool: 'the fee of this tool',
  model: 'the model that this tool names',
  mode: 'this tier',
  region: 'this region',
} as const;

function unpriced(
  { kind, field }: BilledOption,
  { price, upstreamModel }: Pick<ChannelChoice, 'price' | 'upstreamModel'>,
  where?: 'here',
): RelayError {
  const why = where
    ? 'which sessions and batches are not charged'
    : `and the model '${price.model || upstreamModel}' has no price for ${missing[kind]}`;
  const also = where ? '' : ', or ask the administrator to add the price';
  return new RelayError(400, `'${field}' costs extra at the provider, ${why}. Leave it out${also}.`, {
    type: 'invalid_request_error',
    code: 'option_not_priced',
    param: field,
  });
}

/** Prompts are estimated, so lengths between the estimate divided and multiplied by this are reserved for. */
const LENGTH_DOUBT = 1.5;
/** Longest delay in seconds until the attempt that answers begins. */
const START_DOUBT_S = 900;

interface ReservedFor {
  price: BookedPrice;
  groupRatio: number;
  inputTokens: number;
  /** The prompt's length decides about rules. */
  hasLength: boolean;
  options: FittedOptions | undefined;
  /** Unix seconds. */
  now: number;
  /** The caller's body, which shows the possible kinds of tokens. */
  body: Buffer | undefined;
}

/** The highest rates that a call may be charged by, over all ways in which its request permits to serve it. */
function reservedRates(call: ReservedFor): Rates {
  const { price, groupRatio, options, body } = call;
  const { rules = [] } = price;
  if (rules.length > 0 && options) return withDearKinds(ratesByRules(call, rules, options), price, body);
  const plain = price.ratesFor(groupRatio);
  return plain.free && rules.length === 0 ? plain : withDearKinds(plain, price, body);
}

/** Few ways to serve occur for a price, so their highest rates are computed once. */
interface DearestRates {
  /** Bound of the shortest prompt for which a rule of length holds or ends; Infinity: none. */
  leastBound: number;
  isTimed: boolean;
  /** By group ratio, of requests without any option whose prompt is far below all bounds. */
  plain: Map<number, Rates>;
  /** By group ratio and sets of rules. */
  byRules: Map<string, Rates>;
}

const dearest = new WeakMap<BookedPrice, DearestRates>();

function dearestOf(price: BookedPrice, rules: readonly PriceRule[]): DearestRates {
  let known = dearest.get(price);
  if (!known) {
    const leastBound = Math.min(Infinity, ...boundsOf(rules));
    known = { leastBound, isTimed: rules.some(isTimed), plain: new Map(), byRules: new Map() };
    dearest.set(price, known);
  }
  return known;
}

function ratesByRules(call: ReservedFor, rules: readonly PriceRule[], options: FittedOptions): Rates {
  const { price, groupRatio, inputTokens } = call;
  const known = dearestOf(price, rules);
  const { modes, region, events } = options;
  const isPlain = modes.length === 0 && region === undefined && events === none && !known.isTimed;
  if (!isPlain || inputTokens * LENGTH_DOUBT >= known.leastBound) return computedRates(call, rules, options, known);
  let rates = known.plain.get(groupRatio);
  if (!rates) known.plain.set(groupRatio, (rates = computedRates(call, rules, options, known)));
  return rates;
}

function computedRates(
  call: ReservedFor,
  rules: readonly PriceRule[],
  options: FittedOptions,
  { byRules }: DearestRates,
): Rates {
  const { price, groupRatio } = call;
  const sets = new Map<string, PriceRule[]>();
  for (const served of waysToServe(rules, options, call)) {
    const held = rulesFor(rules, served);
    sets.set(held.map((rule) => rules.indexOf(rule)).join(), held);
  }
  const key = `${groupRatio} ${[...sets.keys()].join(';')}`;
  let rates = byRules.get(key);
  if (!rates) {
    const [first = price.ratesFor(groupRatio), ...others] = [...sets.values()].map((held) =>
      price.ratesFor(groupRatio, held),
    );
    byRules.set(key, (rates = dearestRates([first, ...others])));
  }
  return rates;
}

/** Covers every set of rules that can hold: one point of each interval between the bounds of all rules. */
function* waysToServe(
  rules: readonly PriceRule[],
  options: FittedOptions,
  { inputTokens, hasLength, now }: Pick<ReservedFor, 'inputTokens' | 'hasLength' | 'now'>,
): Generator<Served> {
  const lengths = hasLength ? lengthsOf(rules, options.events, inputTokens) : [0];
  const { region } = options;
  // A region that was asked for may be served elsewhere.
  const regions = region !== undefined && rules.some((rule) => rule.regions) ? [region, undefined] : [region];
  const reasons = rules.some(({ reasoning }) => reasoning !== undefined) ? [true, false] : [false];
  for (const promptTokens of lengths)
    for (const modes of subsets(options.modes))
      for (const at of startsOf(rules, now))
        for (const served of regions)
          for (const reasoning of reasons) yield { promptTokens, modes, at, reasoning, region: served };
}

function lengthsOf(rules: readonly PriceRule[], events: EventCounts, inputTokens: number): Iterable<number> {
  // Hosted tools read on, so that every length can come.
  const searches = feeEvents.some((event) => event !== 'request' && (events[event] ?? 0) > 0);
  const longest = searches ? Infinity : inputTokens * LENGTH_DOUBT;
  const around = boundsOf(rules).flatMap((bound) => [bound, bound + 1]);
  return new Set([inputTokens, ...around.filter((one) => one >= inputTokens / LENGTH_DOUBT && one <= longest)]);
}

const boundsOf = (rules: readonly PriceRule[]): number[] =>
  rules.flatMap(({ over, up_to: most }) => [over, most].filter((bound) => bound !== undefined));

/** All combinations; a request names few tiers. */
const subsets = (modes: readonly ServiceMode[]): ServiceMode[][] =>
  [...new Set(modes)].reduce<ServiceMode[][]>((all, mode) => [...all, ...all.map((some) => [...some, mode])], [[]]);

/** Instants from now on at which different rules hold; calls of a minute share them. */
const starts = new WeakMap<readonly PriceRule[], { minute: number; instants: readonly number[] }>();

function startsOf(rules: readonly PriceRule[], now: number): readonly number[] {
  if (!rules.some(isTimed)) return [now];
  const minute = Math.floor(now / 60);
  const known = starts.get(rules);
  if (known?.minute === minute) return known.instants;
  const [from, to] = [minute * 60, minute * 60 + 60 + START_DOUBT_S];
  // Hours begin with a minute, validity at any second.
  const minutes = Array.from({ length: (to - from) / 60 + 1 }, (_, i) => from + i * 60);
  const edges = rules.flatMap(({ valid_from: start = 0, valid_to: end = 0 }) => [start, end]);
  const found = new Map<string, number>();
  for (const at of [...minutes, ...edges.filter((edge) => edge > from && edge <= to)])
    found.set(rules.map((rule) => Number(isInTime(rule, at))).join(''), at);
  const instants = [...found.values()];
  starts.set(rules, { minute, instants });
  return instants;
}

const isTimed = ({ zone, valid_from: from, valid_to: to }: PriceRule): boolean =>
  zone !== undefined || from !== undefined || to !== undefined;

/** Kinds of tokens that only requests with one of these words have. */
const words: Partial<Record<UsageKind, readonly string[]>> = {
  cacheWrite: ['"cache_control"'],
  cachedAudio: ['audio', 'AUDIO'],
  cachedImage: ['image', 'IMAGE'],
  inputAudio: ['audio', 'AUDIO'],
  inputImage: ['image', 'IMAGE'],
  outputAudio: ['"audio"', '"AUDIO"'],
  outputImage: ['"image', '"IMAGE'],
};
const longLives = ['"1h"', '"12h"'];

/** Kinds of tokens that cost more than plain text, and the rates where one of them is the dearest of its side. */
interface DearerKinds {
  kinds: readonly UsageKind[];
  byDearest: Map<string, Rates>;
}

const dearerThanText = new WeakMap<Rates, DearerKinds>();

function dearerKinds(rates: Rates): DearerKinds {
  let known = dearerThanText.get(rates);
  if (!known) {
    const { perToken } = rates;
    const kinds = kindNames.filter((kind) => perToken[kind] > perToken[kindOf(kind).side]);
    dearerThanText.set(rates, (known = { kinds, byDearest: new Map() }));
  }
  return known;
}

/**
 * The reservation counts prompt and answer as plain text, but any part of them may be of a dearer kind: written to the
 * provider's cache, reasoning, sound.
 */
function withDearKinds(rates: Rates, price: BookedPrice, body: Buffer | undefined): Rates {
  const { perToken } = rates;
  const { kinds, byDearest } = dearerKinds(rates);
  const bySide: Record<'input' | 'output', UsageKind> = { input: 'input', output: 'output' };
  for (const kind of kinds) {
    const { side } = kindOf(kind);
    if (perToken[kind] > perToken[bySide[side]] && canBe(kind, price, body)) bySide[side] = kind;
  }
  const { input, output } = bySide;
  if (input === 'input' && output === 'output') return rates;
  const name = `${input} ${output}`;
  let dear = byDearest.get(name);
  if (!dear)
    byDearest.set(
      name,
      (dear = { ...rates, perToken: { ...perToken, input: perToken[input], output: perToken[output] } }),
    );
  return dear;
}

function canBe(kind: UsageKind, price: BookedPrice, body: Buffer | undefined): boolean {
  if (kind === 'audioSeconds') return false;
  if (kind === 'cacheWrite1h')
    return hasAny(body, longLives) && (isNamed(kind, price) || canBe('cacheWrite', price, body));
  // Prices of vendors that bill writes name them.
  if (kind === 'cacheWrite' && isNamed(kind, price)) return true;
  const some = words[kind];
  return some === undefined || hasAny(body, some);
}

function isNamed(kind: UsageKind, { extra_ratios: ratios, rules }: BookedPrice): boolean {
  const key = kindOf(kind).extra?.key;
  return key !== undefined && (ratios[key] ?? rules?.find(({ kinds }) => kinds?.[key])) !== undefined;
}

const hasAny = (body: Buffer | undefined, some: readonly string[]): boolean =>
  body !== undefined && hasWord(body, some);
