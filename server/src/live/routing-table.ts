import type { Channel, ChannelLimits, PluginOptions, ServiceMode, UnpricedPolicy } from '@relay-hub/contract';
import type { Provider } from '#providers/provider.ts';
import type { LiveRule } from './request-rules.ts';
import type { Purchases } from './purchases.ts';

/** An enabled channel, ready for calls. */
export interface LiveChannel {
  id: number;
  name: string;
  provider: Provider;
  /** Without a trailing slash. */
  baseUrl: string;
  /** The first of its keys. */
  key: string;
  /** Sent with every request to this channel, authorization included. */
  headers: Record<string, string>;
  /** All enabled keys, at least one. */
  keys: readonly LiveKey[];
  models: string[];
  groups: string[];
  mapping: ReadonlyMap<string, string>;
  priority: number;
  weight: number;
  onlyChat: boolean;
  /** The upstream receives the routing fields of a body; see `routingFields`. */
  passesRoutingFields: boolean;
  tag: string;
  /** Parameter of the channel type: an API version, a region. */
  other: string;
  plugin: PluginOptions;
  /** Proxy URL; empty: none. */
  proxy: string;
  /** How the prompt is counted before a call: 1 whole, 2 without images, 3 not at all. */
  preCost: number;
  /** Features of `channelFeatures` that it does not serve. */
  excluded: ReadonlySet<string>;
  /** Models, or prefixes with `*`, that it does not stream. */
  disabledStream: readonly string[];
  /** Changes to its requests, in order; undefined: none. */
  rules?: readonly LiveRule[] | undefined;
  timeouts: ChannelTimeouts;
  onGone: OnGone;
  /** Policies for options without a price; undefined: the site's. */
  unpriced: Record<'tiers' | 'tools', UnpricedPolicy | undefined>;
  /** Tier in which the provider serves calls that name none. */
  defaultTier: ServiceMode | undefined;
  /** Purchase price as a multiple of the list price; undefined: unknown. */
  costRatio: number | undefined;
  /** Limits of the channel and its keys; undefined: none. */
  limits?: ChannelLimits | undefined;
  /** Purchase prices of models, which come before the multiple; undefined: none. */
  purchases?: Purchases | undefined;
  /**
   * Binding of a conversation for its prompt cache: to one key; to the channel, because its keys share a cache; or to
   * neither.
   */
  staysBy: 'off' | 'key' | 'channel';
  /** Properties that wishes of callers are about; empty: unknown. */
  publicName: string;
  region: string;
  dataPolicy: Channel['data_policy'];
  quantization: string;
  /** Its replies may be kept in the reply cache. */
  repliesCached: boolean;
  /** Milliseconds that the provider's prompt cache lives without use. */
  cacheLifeMs: number;
}

/** A key of a channel, with the headers of its requests. */
export interface LiveKey {
  id: number;
  key: string;
  headers: Record<string, string>;
  /** Proxy URL; empty: none. */
  proxy: string;
}

/** Timeouts of a channel's upstream in milliseconds; 0: the server's maximum. */
export interface ChannelTimeouts {
  connectMs: number;
  /** Until the first chunk of a response body; then another channel is tried. */
  firstTokenMs: number;
  /** Between two chunks. */
  idleMs: number;
  totalMs: number;
}

/**
 * How a call continues after its client disconnected: read to its end for the usage; read for a limited time or number
 * of tokens; or abort. Produced output is charged.
 */
export type OnGone = { policy: 'drain' } | { policy: 'limit'; ms: number; tokens: number } | { policy: 'abort' };

export const noTimeouts: ChannelTimeouts = { connectMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 };

/** The routing data of a channel that is off. */
export type DisabledChannel = Pick<LiveChannel, 'id' | 'name' | 'models' | 'groups' | 'priority' | 'weight'> & {
  type: number;
};

/** Channels of one priority. */
interface Level {
  channels: readonly LiveChannel[];
  weights: readonly number[];
  /** Cumulative weights. */
  sums: readonly number[];
}

interface Levels {
  byPriority: readonly Level[];
  /** They have more than one key together, or will have when a channel comes back. */
  hasChoice: boolean;
}

/** How a call of a conversation is drawn. */
export interface Stay {
  /** See `CacheConversation`. */
  seed: number;
  /** The channel that keeps it; 0: none is known. */
  channelId: number;
}

/** Lower is better. Equal channels are drawn by weight. */
export type ChannelScore = (channel: LiveChannel) => number;

/** Shares by a figure of each channel besides its weight: the lower, the more calls. */
export interface Preference {
  /** Two preferences of one name have the same figures. */
  name: string;
  /** Undefined: unknown, which counts like the median of those known. */
  figure(channel: LiveChannel): number | undefined;
  /** Twice the figure is a share divided by two to this power. */
  power: number;
  /** Part of the calls that is drawn by weight alone, so that figures of all channels stay known. */
  explored: number;
  /** The channel that keeps the conversation of the call and comes first; 0: none. */
  keeper: number;
}

interface GroupRoutes {
  exact: Map<string, Levels>;
  /** By the part before the `*`. */
  prefixes: Map<string, Levels>;
  /** Distinct prefix lengths, longest first. */
  lengths: readonly number[];
  names: string[];
}

/**
 * Which channels serve a model to a group, by priority. Rebuilt on each change; a draw is a lookup and a binary search,
 * whatever the number of channels, while most of them are usable (`bench/choosing.ts`).
 */
export class RoutingTable {
  /** Levels with the weights of a preference, for a second each. */
  readonly #preferred = new WeakMap<Level, Map<string, Level & { until: number }>>();
  readonly #groups = new Map<string, GroupRoutes>();
  readonly #channels: ReadonlyMap<number, LiveChannel>;
  readonly #resting: readonly DisabledChannel[];

  /** `resting`: channels that are off. */
  constructor(channels: readonly LiveChannel[], resting: readonly DisabledChannel[] = []) {
    this.#resting = resting;
    this.#channels = new Map(channels.map((channel) => [channel.id, channel]));
    const byGroup = new Map<string, Map<string, LiveChannel[]>>();
    for (const channel of channels) {
      for (const group of channel.groups) {
        const models = getOrMake(byGroup, group, () => new Map<string, LiveChannel[]>());
        for (const model of channel.models) getOrMake(models, model, () => []).push(channel);
      }
    }
    for (const [group, models] of byGroup) {
      const off = resting.filter(({ groups }) => groups.includes(group)).flatMap(({ models: names }) => names);
      this.#groups.set(group, routesOf(models, new Set(off)));
    }
  }

  /** An enabled channel, for any group. */
  channel(id: number): LiveChannel | undefined {
    return this.#channels.get(id);
  }

  /** Every enabled channel. */
  channels(): Iterable<LiveChannel> {
    return this.#channels.values();
  }

  /** Model names available to a group, wildcards included; sorted. */
  modelsOf(group: string): readonly string[] {
    return this.#groups.get(group)?.names ?? [];
  }

  /** Whether an enabled channel serves this model to this group. */
  serves(group: string, model: string): boolean {
    return this.#levels(group, model) !== undefined;
  }

  /** Whether a channel lists exactly this name for this group, even if it is off. */
  lists(group: string, model: string): boolean {
    return (
      this.#groups.get(group)?.exact.has(model) === true ||
      this.#resting.some(({ groups, models }) => groups.includes(group) && models.includes(model))
    );
  }

  /** The enabled channels that serve this model to this group, by descending priority. */
  channelsFor(group: string, model: string): LiveChannel[] {
    return (this.#levels(group, model)?.byPriority ?? []).flatMap(({ channels }) => channels);
  }

  /** Whether a channel that is off would serve it. Scans all of them, to explain a refusal. */
  rests(group: string, model: string): boolean {
    return this.restingFor(group, model).length > 0;
  }

  /** The channels that are off and would serve it. */
  restingFor(group: string, model: string): DisabledChannel[] {
    return this.#resting.filter(
      ({ groups, models }) => groups.includes(group) && models.some((name) => covers(name, model)),
    );
  }

  /** Whether calls of a group for a model can go to more than one key, now or when a channel comes back. */
  hasChoice(group: string, model: string): boolean {
    return this.#levels(group, model)?.hasChoice === true;
  }

  /**
   * Draws a channel: highest priority first, by weight among equals. `usable` can reject channels. With a `Stay`, among
   * equals the channel that keeps the conversation, else the one to which its hash leads; with a score, one
   * of the lowest; with a preference, by its weights.
   */
  pick(
    group: string,
    model: string,
    usable: (channel: LiveChannel) => boolean,
    how?: Stay | ChannelScore | Preference,
  ): LiveChannel | undefined {
    for (const level of this.#levels(group, model)?.byPriority ?? []) {
      if (typeof how === 'function') {
        const best = bestOf(level.channels.filter(usable), how);
        if (best) return best;
        continue;
      }
      const drawn =
        how && 'figure' in how
          ? this.#drawBy(how, level, usable)
          : ((how && drawFor(level, usable, how)) ?? draw(level, usable));
      if (drawn) return drawn;
    }
    return undefined;
  }

  #drawBy(preference: Preference, level: Level, usable: (channel: LiveChannel) => boolean): LiveChannel | undefined {
    const { name, keeper, explored } = preference;
    const kept = keeper === 0 ? undefined : level.channels.find(({ id }) => id === keeper);
    if (kept && kept.staysBy !== 'off' && usable(kept)) return kept;
    if (level.channels.length === 1 || Math.random() < explored) return draw(level, usable);
    const known = getOrMake(this.#preferred, level, () => new Map<string, Level & { until: number }>());
    const now = Date.now();
    let preferred = known.get(name);
    if (!preferred || preferred.until <= now) {
      const weights = weightsBy(preference, level.channels);
      known.set(name, (preferred = { ...levelOf(level.channels, weights), until: now + PREFERRED_MS }));
    }
    return draw(preferred, usable);
  }

  #levels(group: string, model: string): Levels | undefined {
    const routes = this.#groups.get(group);
    if (!routes) return undefined;
    const exact = routes.exact.get(model);
    if (exact) return exact;
    for (const length of routes.lengths) {
      const levels = length <= model.length ? routes.prefixes.get(model.slice(0, length)) : undefined;
      if (levels) return levels;
    }
    return undefined;
  }
}

const covers = (name: string, model: string): boolean =>
  name.endsWith('*') ? model.startsWith(name.slice(0, -1)) : name === model;

/** `off`: the names of channels that are off. */
function routesOf(models: Map<string, LiveChannel[]>, off: ReadonlySet<string>): GroupRoutes {
  const exact = new Map<string, Levels>();
  const prefixes = new Map<string, Levels>();
  for (const [model, channels] of models) {
    const levels = levelsOf(channels, off.has(model));
    if (model.endsWith('*')) prefixes.set(model.slice(0, -1), levels);
    else exact.set(model, levels);
  }
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].toSorted((a, b) => b - a);
  return { exact, prefixes, lengths, names: [...models.keys()].toSorted() };
}

const levelsOf = (channels: LiveChannel[], isOffAtOthers: boolean): Levels => ({
  byPriority: [...Map.groupBy(channels, ({ priority }) => priority)]
    .toSorted(([a], [b]) => b - a)
    .map(([, equals]) => levelOf(equals)),
  hasChoice: isOffAtOthers || channels.length > 1 || channels.some(({ keys }) => keys.length > 1),
});

function levelOf(
  channels: readonly LiveChannel[],
  weights: readonly number[] = channels.map(({ weight }) => weight),
): Level {
  let sum = 0;
  return { channels, weights, sums: weights.map((weight) => (sum += weight)) };
}

const PREFERRED_MS = 1000;
/** Figures that differ by more are taken as different by this factor: powers of it stay within a double. */
const WIDEST = 1e6;

function weightsBy({ figure, power }: Preference, channels: readonly LiveChannel[]): number[] {
  const figures = channels.map(figure);
  const known = figures.filter((each) => each !== undefined).toSorted((a, b) => a - b);
  const middle = known[known.length >> 1] ?? 1;
  const lowest = Math.max(known[0] ?? 1, (known.at(-1) ?? 1) / WIDEST, Number.MIN_VALUE);
  return channels.map(({ weight }, at) => weight * (lowest / Math.max(lowest, figures[at] ?? middle)) ** power);
}

/** The part of its calls that each of some equal channels gets. */
export function sharesBy(preference: Preference, channels: readonly LiveChannel[]): number[] {
  const { weights, sums } = levelOf(channels, weightsBy(preference, channels));
  const plain = levelOf(channels);
  const { explored } = preference;
  return weights.map(
    (weight, at) => ((1 - explored) * weight) / sums.at(-1)! + (explored * plain.weights[at]!) / plain.sums.at(-1)!, // as long
  );
}

/** Random draws over a whole level before the usable channels are filtered. */
const DRAWS = 16;

function draw(from: Level, usable: (channel: LiveChannel) => boolean): LiveChannel | undefined {
  // A draw over all weights that hits a usable channel is distributed like one over the usable ones.
  for (let i = 0; i < DRAWS && from.channels.length > i; i++) {
    const drawn = oneOf(from);
    if (drawn && usable(drawn)) return drawn;
  }
  const left = from.channels.flatMap((channel, at) => (usable(channel) ? [at] : []));
  return oneOf(
    levelOf(
      left.map((at) => from.channels[at]!), // indices of them
      left.map((at) => from.weights[at]!),
    ),
  );
}

/** The channel that keeps a conversation, else the first usable one in the order of its hash; undefined: draw one. */
function drawFor(level: Level, usable: (channel: LiveChannel) => boolean, stay: Stay): LiveChannel | undefined {
  const { channels } = level;
  const keeper = stay.channelId === 0 ? undefined : channels.find(({ id }) => id === stay.channelId);
  if (keeper && keeper.staysBy !== 'off' && usable(keeper)) return keeper;
  let left = channels;
  for (let i = 0; i < DRAWS && left.length > 0; i++) {
    const first = byHash(left, stay.seed);
    if (!first) return undefined;
    // Channels without affinity get their part of the conversations, and draw among themselves.
    if (first.staysBy === 'off') return draw(levelOf(left.filter(({ staysBy }) => staysBy === 'off')), usable);
    if (usable(first)) return first;
    left = left.filter((channel) => channel !== first);
  }
  return undefined;
}

/**
 * The entry to which a hash leads, by weight: every node finds the same one, and when an entry goes, only its
 * conversations move (rendezvous hashing).
 */
export function byHash<T extends { id: number; weight?: number }>(entries: readonly T[], seed: number): T | undefined {
  let best: T | undefined;
  let least = Infinity;
  for (const entry of entries) {
    const distance = -Math.log(fractionOf(seed, entry.id)) / (entry.weight ?? 1);
    if (distance >= least) continue;
    least = distance;
    best = entry;
  }
  return best;
}

/** Above 0 and below 1, evenly distributed: the finalizer of MurmurHash3. */
function fractionOf(seed: number, id: number): number {
  let bits = seed ^ Math.imul(id, 0x9e3779b1);
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (((bits ^ (bits >>> 16)) >>> 0) + 0.5) / 2 ** 32;
}

/** One of the channels with the lowest score, by weight. */
function bestOf(channels: readonly LiveChannel[], score: ChannelScore): LiveChannel | undefined {
  const scores = channels.map(score);
  const least = Math.min(...scores);
  return oneOf(levelOf(channels.filter((_, at) => scores[at] === least)));
}

/** By weight; undefined if empty. */
function oneOf({ channels, sums }: Level): LiveChannel | undefined {
  const point = Math.random() * (sums.at(-1) ?? 0);
  let [low, high] = [0, channels.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > point) high = middle;
    else low = middle + 1;
  }
  return channels[low];
}

function getOrMake<K, V>(
  map: { get(key: K): V | undefined; set(key: K, value: V): unknown },
  key: K,
  make: () => V,
): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
