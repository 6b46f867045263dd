import type { PluginOptions } from '@relay-hub/contract';
import type { Provider } from '#providers/provider.ts';

/** An enabled channel, ready for calls. */
export interface LiveChannel {
  id: number;
  name: string;
  provider: Provider;
  /** Without a slash at the end. */
  baseUrl: string;
  /** The first of its keys, and what is sent with it. */
  key: string;
  /** Sent with every request to this channel, authorization included. */
  headers: Record<string, string>;
  /** All its keys that are switched on, at least one. */
  keys: readonly LiveKey[];
  models: string[];
  groups: string[];
  mapping: ReadonlyMap<string, string>;
  priority: number;
  weight: number;
  onlyChat: boolean;
  /** Its upstream gets the fields of a body that say where to send a call; see `routingFields`. */
  passesRoutingFields: boolean;
  tag: string;
  /** The type's own parameter: an API version, a region. */
  other: string;
  plugin: PluginOptions;
  /** Address of a proxy on the way; empty: none. */
  proxy: string;
  /** How the prompt is counted before a call: 1 all of it, 2 without images, 3 not at all. */
  preCost: number;
  /** What a request must not need, of `channelFeatures`. */
  excluded: ReadonlySet<string>;
  /** Models, or beginnings of them and `*`, that it does not stream. */
  disabledStream: readonly string[];
  timeouts: ChannelTimeouts;
  onGone: OnGone;
}

/** One of the keys of a channel, with the headers of a request that uses it. */
export interface LiveKey {
  id: number;
  key: string;
  headers: Record<string, string>;
  /** Address of a proxy on the way; empty: none. */
  proxy: string;
}

/** How long a channel's upstream may take. Milliseconds; 0: as long as the engine allows any upstream. */
export interface ChannelTimeouts {
  connectMs: number;
  /** Until the first piece of an answer's body; another channel is asked then. */
  firstTokenMs: number;
  /** Between two pieces. */
  idleMs: number;
  totalMs: number;
}

/**
 * What becomes of a call whose caller has left: read to its end, where the usage stands; read on for so long, or until
 * so much has been said; or broken off at once. What was produced is charged.
 */
export type OnGone = { policy: 'drain' } | { policy: 'limit'; ms: number; tokens: number } | { policy: 'abort' };

export const noTimeouts: ChannelTimeouts = { connectMs: 0, firstTokenMs: 0, idleMs: 0, totalMs: 0 };

/** What a channel that is switched off would serve. */
export type Resting = Pick<LiveChannel, 'id' | 'name' | 'models' | 'groups' | 'priority' | 'weight'>;

/** Channels of one priority. */
interface Level {
  channels: readonly LiveChannel[];
  /** Of each channel: its weight and those of the ones before it. */
  sums: readonly number[];
}

interface GroupRoutes {
  exact: Map<string, Level[]>;
  /** What stands before the `*`. */
  prefixes: Map<string, Level[]>;
  /** How long prefixes are: each length once, the longest first. */
  lengths: readonly number[];
  names: string[];
}

/**
 * Which channels serve a model to a group, by priority. Rebuilt whole on each change; a draw is a look-up and a binary
 * search, however many channels there are, as long as most of them can be used (`bench/choosing.ts`).
 */
export class RoutingTable {
  readonly #groups = new Map<string, GroupRoutes>();
  readonly #channels: ReadonlyMap<number, LiveChannel>;
  readonly #resting: readonly Resting[];

  /** `resting`: what channels that are switched off would serve. */
  constructor(channels: readonly LiveChannel[], resting: readonly Resting[] = []) {
    this.#resting = resting;
    this.#channels = new Map(channels.map((channel) => [channel.id, channel]));
    const byGroup = new Map<string, Map<string, LiveChannel[]>>();
    for (const channel of channels) {
      for (const group of channel.groups) {
        const models = getOrMake(byGroup, group, () => new Map<string, LiveChannel[]>());
        for (const model of channel.models) getOrMake(models, model, () => []).push(channel);
      }
    }
    for (const [group, models] of byGroup) this.#groups.set(group, routesOf(models));
  }

  /** An enabled channel, whoever may use it. */
  channel(id: number): LiveChannel | undefined {
    return this.#channels.get(id);
  }

  /** Every enabled channel. */
  channels(): Iterable<LiveChannel> {
    return this.#channels.values();
  }

  /** Names that a group can ask for, wildcards as they are configured; sorted. */
  modelsOf(group: string): readonly string[] {
    return this.#groups.get(group)?.names ?? [];
  }

  /** Whether any enabled channel serves this model to this group. */
  serves(group: string, model: string): boolean {
    return this.#levels(group, model) !== undefined;
  }

  /** Whether a channel has this very name in its list for this group, wildcards apart, be it switched off as well. */
  lists(group: string, model: string): boolean {
    return (
      this.#groups.get(group)?.exact.has(model) === true ||
      this.#resting.some(({ groups, models }) => groups.includes(group) && models.includes(model))
    );
  }

  /** The enabled channels that serve this model to this group, those that come first first. */
  channelsFor(group: string, model: string): LiveChannel[] {
    return (this.#levels(group, model) ?? []).flatMap(({ channels }) => channels);
  }

  /** Whether a channel that is switched off would serve it. Looks through all of them, to explain a refusal. */
  rests(group: string, model: string): boolean {
    return this.restingFor(group, model).length > 0;
  }

  /** The channels that would serve it if they were on. */
  restingFor(group: string, model: string): Resting[] {
    return this.#resting.filter(
      ({ groups, models }) => groups.includes(group) && models.some((name) => covers(name, model)),
    );
  }

  /** Draws a channel: the highest priority first, among equals by weight. `usable` may turn channels down. */
  pick(group: string, model: string, usable: (channel: LiveChannel) => boolean): LiveChannel | undefined {
    for (const level of this.#levels(group, model) ?? []) {
      const drawn = draw(level, usable);
      if (drawn) return drawn;
    }
    return undefined;
  }

  #levels(group: string, model: string): Level[] | undefined {
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

function routesOf(models: Map<string, LiveChannel[]>): GroupRoutes {
  const exact = new Map<string, Level[]>();
  const prefixes = new Map<string, Level[]>();
  for (const [model, channels] of models) {
    if (model.endsWith('*')) prefixes.set(model.slice(0, -1), levelsOf(channels));
    else exact.set(model, levelsOf(channels));
  }
  const lengths = [...new Set([...prefixes.keys()].map(({ length }) => length))].toSorted((a, b) => b - a);
  return { exact, prefixes, lengths, names: [...models.keys()].toSorted() };
}

const levelsOf = (channels: LiveChannel[]): Level[] =>
  [...Map.groupBy(channels, ({ priority }) => priority)]
    .toSorted(([a], [b]) => b - a)
    .map(([, equals]) => levelOf(equals));

function levelOf(channels: readonly LiveChannel[]): Level {
  let sum = 0;
  return { channels, sums: channels.map(({ weight }) => (sum += weight)) };
}

/** So many draws over all channels of a level before those that can be used are looked for one by one. */
const DRAWS = 16;

function draw(from: Level, usable: (channel: LiveChannel) => boolean): LiveChannel | undefined {
  // A draw over all weights that hits a usable channel is as good as one over the usable ones.
  for (let i = 0; i < DRAWS && from.channels.length > i; i++) {
    const drawn = oneOf(from);
    if (drawn && usable(drawn)) return drawn;
  }
  return oneOf(levelOf(from.channels.filter(usable)));
}

/** By weight; undefined where there is none. */
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

function getOrMake<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
