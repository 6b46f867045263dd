import * as z from 'zod/mini';
import { dataPolicies } from './provider-wishes.ts';
import { serviceModes } from '../price/served.ts';
import { channelLimits } from './channel-limits.ts';
import { type FamilyRules, rulesOfCustomParameter, rulesOfParamOverride } from './family-rules.ts';
import { requestRules, ruleLimits } from './request-rule.ts';
import { splitList } from '../texts.ts';
import {
  baseAddress,
  id,
  jsonHeaders,
  jsonTextMap,
  modelList,
  modelPattern,
  proxyAddress,
  ratio,
  text,
  upstreamKey,
} from '../values.ts';

/** Comma-separated user groups, trimmed and deduplicated. */
export const groupList = z.string().check(
  z.overwrite((list) => [...new Set(splitList(list))].join(',')),
  z.minLength(1),
  z.maxLength(2000),
);

/** Request features a channel can exclude. For tools see `only_chat`. */
export const channelFeatures = ['images', 'streaming'] as const;

/** Policies for calls whose client disconnected: read to the end, up to a limit, or abort. */
export const gonePolicies = ['drain', 'limit', 'abort'] as const;

/**
 * Policies for options of a call that cost extra at the provider and have no price: refuse the call, remove the
 * option, or send it and mark the log row. Empty: the setting of the site.
 */
export const unpricedPolicies = ['', 'refuse', 'remove', 'pass'] as const;
export type UnpricedPolicy = Exclude<(typeof unpricedPolicies)[number], ''>;

/**
 * Binding of a conversation for its prompt cache: `key`: one key; `channel`: its keys share a cache; `auto`: `key` where
 * the provider has caches.
 */
export const cacheAffinities = ['auto', 'off', 'key', 'channel'] as const;

/** Options of a channel type by plugin: `{"web_search": {"enable": true}}`. Values of the plugin `headers` are secrets. */
export const pluginOptions = z
  .record(
    z.string().check(z.maxLength(60)),
    z.record(
      z.string().check(z.maxLength(100)),
      z.union([z.string().check(z.trim(), z.maxLength(20_000)), z.boolean(), z.number()]),
    ),
  )
  .check(z.refine((options) => JSON.stringify(options).length <= 60_000, { error: 'plugin.size' }));
export type PluginOptions = z.output<typeof pluginOptions>;

const optionsOrNone = z.pipe(
  z.nullable(pluginOptions),
  z.transform((options: PluginOptions | null) => options ?? {}),
);

/** One address per new channel and line; missing ones use the first. */
const addressLines = z.string().check(
  z.maxLength(60_000),
  z.overwrite((lines) => linesOf(lines).join('\n')),
  z.refine((lines) => linesOf(lines).every((line) => baseAddress.safeParse(line).success), { error: 'address.http' }),
);

function linesOf(lines: string): string[] {
  return lines
    .split('\n')
    .map((line) => line.trim().replace(/\/+$/, ''))
    .filter((line) => line !== '');
}

/** Rules in the form of another program. Those without a counterpart here are refused. */
const familyRules = (read: (text: string) => FamilyRules | undefined) =>
  z.string().check(
    z.trim(),
    z.maxLength(ruleLimits.all),
    z.refine((given) => given === '' || isTaken(read(given)), { error: 'rule.family' }),
  );

const isTaken = (found: FamilyRules | undefined): boolean =>
  found?.lost.length === 0 && requestRules.safeParse(found.rules).success;

const customParameter = familyRules(rulesOfCustomParameter);
const paramOverride = familyRules(rulesOfParamOverride);

const priority = z.int().check(z.gte(0), z.lte(1_000_000));
const weight = z.int().check(z.gte(1), z.lte(1_000_000));
/** 0: the server's limit. */
const timeout = z.int().check(z.gte(0), z.lte(86_400));
const limit = z.int().check(z.gte(0), z.lte(1_000_000_000));
const unique = <T extends string>(values: T[]): T[] => [...new Set(values)];

/** Fields of new channels and edits, with the default of a new channel. */
const optional = {
  base_url: [baseAddress, ''],
  other: [text(500), ''],
  group: [groupList, 'default'],
  tag: [text(32), ''],
  priority: [priority, 0],
  weight: [weight, 1],
  status: [z.union([z.literal(1), z.literal(2)]), 1],
  model_mapping: [jsonTextMap, ''],
  model_headers: [jsonHeaders, ''],
  proxy: [proxyAddress, ''],
  test_model: [text(100), ''],
  only_chat: [z.boolean(), false],
  pass_routing_fields: [z.boolean(), false],
  cache_affinity: [z.enum(cacheAffinities), 'auto'],
  reply_cache: [z.boolean(), true],
  pre_cost: [z.int().check(z.gte(1), z.lte(3)), 1],
  plugin: [optionsOrNone, {}],
  excluded: [z.array(z.enum(channelFeatures)).check(z.overwrite(unique)), []],
  disabled_stream: [z.array(modelPattern).check(z.maxLength(1000), z.overwrite(unique)), []],
  request_rules: [requestRules, []],
  connect_timeout: [timeout, 0],
  first_token_timeout: [timeout, 0],
  idle_timeout: [timeout, 0],
  total_timeout: [timeout, 0],
  on_client_gone: [z.enum(gonePolicies), 'drain'],
  gone_seconds: [limit, 300],
  gone_tokens: [limit, 0],
  unpriced_tiers: [z.enum(unpricedPolicies), ''],
  unpriced_tools: [z.enum(unpricedPolicies), ''],
  default_tier: [z.enum(['', ...serviceModes]), ''],
  cost_ratio: [z.nullable(ratio), null],
  limits: [z.nullable(channelLimits), null],
  public_name: [text(100), ''],
  region: [text(50), ''],
  data_policy: [z.enum(dataPolicies), ''],
  quantization: [text(20), ''],
} as const satisfies Record<string, readonly [z.ZodMiniType, unknown]>;

type Optional = typeof optional;

const withDefaults = Object.fromEntries(
  Object.entries(optional).map(([name, [schema, fallback]]) => [name, z._default(schema, fallback as never)]),
) as { [K in keyof Optional]: z.ZodMiniDefault<Optional[K][0]> }; // entry by entry

const maybe = Object.fromEntries(Object.entries(optional).map(([name, [schema]]) => [name, z.optional(schema)])) as {
  [K in keyof Optional]: z.ZodMiniOptional<Optional[K][0]>;
}; // entry by entry

const type = z.int().check(z.gte(1), z.lte(2_147_483_647));
const name = text(100, 1);

export const newChannel = z.object({
  type,
  name,
  /** One key per line: each becomes a channel or, with `one_channel`, a key of the one channel. */
  key: z._default(upstreamKey, ''),
  one_channel: z._default(z.boolean(), false),
  /** The channel whose keys and other secrets are copied if none are given. */
  copy_of: z._default(z.int().check(z.gte(0)), 0),
  /** Of the loaded channel that an old client sends as a copy: like `copy_of`. */
  id: z._default(z.int().check(z.gte(0)), 0),
  models: modelList,
  /** `request_rules` as one-hub and new-api write them; empty: none. */
  custom_parameter: z._default(customParameter, ''),
  param_override: z._default(paramOverride, ''),
  ...withDefaults,
  base_url: z._default(addressLines, ''),
});
export type NewChannel = z.output<typeof newChannel>;

/** Only given fields change; an empty key keeps the stored ones, any other replaces them. */
export const channelEdit = z.object({
  id,
  type: z.optional(type),
  name: z.optional(name),
  key: z.optional(upstreamKey),
  models: z.optional(modelList),
  /**
   * `request_rules` as one-hub and new-api write them, which replace the stored ones; `custom_parameter` as it was read
   * changes nothing.
   */
  custom_parameter: z.optional(customParameter),
  param_override: z.optional(paramOverride),
  ...maybe,
});
export type ChannelEdit = z.output<typeof channelEdit>;

/** A saved or unsaved channel whose provider's models are listed. */
export const modelListInput = z.object({
  id: z._default(z.int().check(z.gte(0)), 0),
  type,
  key: z._default(upstreamKey, ''),
  base_url: withDefaults.base_url,
  other: withDefaults.other,
  proxy: withDefaults.proxy,
  plugin: withDefaults.plugin,
  model_headers: withDefaults.model_headers,
});

const { status: _status, base_url: _address, ...shared } = maybe;

/** Fields that can be set for all channels of a tag; absent ones are kept. */
export const tagEdit = z.object({
  /** One key per line, of all channels together; empty keeps theirs. Each new key becomes another channel of the tag. */
  key: z._default(upstreamKey, ''),
  /** `replace`: channels without a listed key are deleted, and other keys disabled. */
  key_mode: z._default(z.enum(['replace', 'add']), 'replace'),
  /** Of the channels of new keys, like `base_url`; others keep theirs. */
  type: z.optional(type),
  base_url: maybe.base_url,
  models: z.optional(modelList),
  ...shared,
});
export type TagEdit = z.output<typeof tagEdit>;
