import * as z from 'zod/mini';
import { dataPolicies } from './provider-wishes.ts';
import { channelFailures } from './attempt-kind.ts';
import { channelFilters } from './channel-filter.ts';
import {
  channelEdit,
  cacheAffinities,
  channelFeatures,
  gonePolicies,
  modelListInput,
  newChannel,
  pluginOptions,
  unpricedPolicies,
} from './channel-input.ts';
import { channelLimits, channelLimitUse } from './channel-limits.ts';
import { channelTrouble } from './channel-trouble.ts';
import { channelType } from './channel-type.ts';
import { storedRules } from './request-rule.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { usageWarning } from '../log/usage-check.ts';
import { serviceModes } from '../price/served.ts';
import { id, idParam, seconds } from '../values.ts';

/**
 * An upstream account. Keys are write-only: `key` is always empty, and `key_hint` is the first key, masked.
 * Header values, the proxy password and secret options are replaced by `keptSecret`.
 */
export const channel = z.object({
  id,
  type: z.int(),
  name: z.string(),
  status: z.int(),
  key: z.string(),
  key_hint: z.string(),
  /** Numbers of keys and of disabled keys. */
  key_count: z.int(),
  keys_off: z.int(),
  base_url: z.string(),
  other: z.string(),
  models: z.string(),
  group: z.string(),
  tag: z.string(),
  priority: z.int(),
  weight: z.int(),
  model_mapping: z.string(),
  model_headers: z.string(),
  proxy: z.string(),
  test_model: z.string(),
  only_chat: z.boolean(),
  /** Whether `routingFields` of the body are passed to the upstream. */
  pass_routing_fields: z.boolean(),
  cache_affinity: z.enum(cacheAffinities),
  /** Whether its replies may be kept in the reply cache. */
  reply_cache: z.boolean(),
  pre_cost: z.int(),
  plugin: pluginOptions,
  /** Features whose requests are not sent to this channel. */
  excluded: z.array(z.enum(channelFeatures)),
  /** Models with streaming disabled. */
  disabled_stream: z.array(z.string()),
  /** Changes to the requests of this channel, in order. */
  request_rules: storedRules,
  /** The rules as one-hub's `custom_parameter`; empty: none, or it cannot express them. */
  custom_parameter: z.string(),
  /** Seconds; 0 = the server's limit. */
  connect_timeout: z.int(),
  first_token_timeout: z.int(),
  idle_timeout: z.int(),
  total_timeout: z.int(),
  on_client_gone: z.enum(gonePolicies),
  /** Limits of the policy `limit`. */
  gone_seconds: z.int(),
  /** Policies for options without a price; empty: the site's. */
  unpriced_tiers: z.enum(unpricedPolicies),
  unpriced_tools: z.enum(unpricedPolicies),
  /** Tier in which the provider serves calls that name none, by its project's setting; empty: standard. */
  default_tier: z.enum(['', ...serviceModes]),
  /** Purchase price as a multiple of the list price; null: unknown. */
  cost_ratio: z.nullable(z.number()),
  /** Name of the provider for wishes of callers; empty: that of the channel's type. */
  public_name: z.string(),
  /** Properties for wishes of callers; empty: unknown, which meets no wish. */
  region: z.string(),
  data_policy: z.enum(dataPolicies),
  quantization: z.string(),
  /** Null: none. */
  limits: z.nullable(channelLimits),
  /** How far the limits are used. */
  limit_use: z.array(channelLimitUse),
  gone_tokens: z.int(),
  /** Last known balance, in the currency of the account. */
  balance: z.number(),
  balance_currency: z.string(),
  balance_updated_time: seconds,
  /** Why the balance could not be read when it was last asked for, masked; empty: it could. */
  balance_error: z.string(),
  balance_error_time: seconds,
  used_quota: z.int(),
  /** Milliseconds of the last successful test; 0 = never tested. */
  response_time: z.int(),
  test_time: seconds,
  created_time: seconds,
  /** Last error of the upstream, masked; empty if none. */
  last_error: z.string(),
  last_error_time: seconds,
  /** Last implausible usage, until dismissed; null: none. */
  usage_warning: z.nullable(usageWarning),
  /** End of the freeze after a failure; 0 = not frozen. State of the responding node. */
  frozen_until: seconds,
  /**
   * Until then, Responses calls are sent as chats, because the upstream has no `/v1/responses`; 0: they are not. State
   * of the responding node.
   */
  without_responses_until: seconds,
  /** Current trouble; null: none, or disabled manually. */
  trouble: z.nullable(channelTrouble),
});
export type Channel = z.infer<typeof channel>;

/** A saved channel, with what the operator should know about the input. */
export const savedChannel = z.extend(channel, {
  /** The base URL as sent, if it ended in a path that the server appends itself and `base_url` does not have. */
  base_url_sent: z.optional(z.string()),
  /** Other channels that have one of the sent keys at the same address. */
  same_key: z.optional(z.array(z.object({ id, name: z.string() }))),
  /** Id to undo an edit that changed the rules or limits, as of a bulk change. */
  undo: z.optional(z.string()),
});
export type SavedChannel = z.infer<typeof savedChannel>;

export const channelTest = z.object({
  /** Milliseconds from the request to the complete reply. */
  ms: z.int(),
  model: z.string(),
  /** Start of the reply; empty for models without text output. */
  answer: z.string(),
});
export type ChannelTest = z.infer<typeof channelTest>;

export const channelHealth = z.object({
  channel_id: id,
  /**
   * The last 24 hours, oldest first: attempts and failures of this channel, including calls answered by another one.
   * Excludes tests, and failures caused by the client or the request.
   */
  hours: z.array(
    z.object({
      requests: z.int(),
      failures: z.int(),
      /** Failures by reason; absent if there are none. */
      reasons: z.optional(z.partialRecord(z.enum(channelFailures), z.int())),
    }),
  ),
});
export type ChannelHealth = z.infer<typeof channelHealth>;

export const knownModel = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
});

const withId = z.object({ id: idParam });

export const channelColumns = [
  'id',
  'name',
  'group',
  'type',
  'status',
  'response_time',
  'balance',
  'priority',
  'weight',
  'test_time',
  'used_quota',
  'last_error_time',
  /** By urgency: frozen, disabled by the server, failing, slow; disabled manually last. */
  'trouble',
] as const;

/** Calls that have something in common. */
const counted = { calls: z.int(), first_time: seconds, last_time: seconds, /** Id of the last one. */ last_id: id };

/** Reports of a channel about its answered calls, by model. */
export const servedFacts = z.object({
  /** Calls that were read, the newest first; at most 10,000. */
  calls: z.int(),
  from: seconds,
  models: z.array(
    z.object({
      /** The model of the log, and the one that was sent. */
      model: z.string(),
      sent: z.string(),
      calls: z.int(),
      /** Models that replies name instead. `alike`: only the maker, date or punctuation differs. */
      reported: z.array(z.object({ model: z.string(), alike: z.boolean(), ...counted })),
      /** Tiers that were not those requested. */
      tiers: z.array(
        z.object({ asked: z.array(z.enum(serviceModes)), served: z.array(z.enum(serviceModes)), ...counted }),
      ),
      /** By the first use. */
      fingerprints: z.array(z.object({ fingerprint: z.string(), ...counted })),
      /** Calls without reported usage, with unusual and with impossible usage. */
      usage: z.array(z.object({ kind: z.enum(['none', 'unusual', 'implausible']), ...counted })),
    }),
  ),
});
export type ServedFacts = z.infer<typeof servedFacts>;

export const channelSchemas = {
  list: {
    audience: 'admin',
    summary: 'List channels',
    query: z.extend(listQuery(channelColumns), channelFilters),
    reply: pageOf(channel),
  },
  get: {
    audience: 'admin',
    summary: 'Get a channel',
    params: withId,
    reply: channel,
  },
  served: {
    audience: 'admin',
    summary:
      'Count what a channel says that it served: models, tiers, fingerprints and usage, by its last answered calls',
    params: withId,
    query: z.object({ days: z._default(z.coerce.number().check(z.int(), z.gte(1), z.lte(90)), 7) }),
    reply: servedFacts,
  },
  create: {
    audience: 'admin',
    summary: 'Create one channel per line of `key`, named name, name_2, name_3 …, or one channel with all keys',
    body: newChannel,
    reply: z.array(savedChannel),
  },
  update: {
    audience: 'admin',
    summary: 'Update the given fields of a channel',
    body: channelEdit,
    reply: savedChannel,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a channel',
    params: withId,
  },
  untag: {
    audience: 'admin',
    summary: 'Remove a channel from its tag',
    params: withId,
    reply: channel,
  },
  unfreeze: {
    audience: 'admin',
    summary: 'Unfreeze a channel that was frozen after a failure, and ask for its Responses API again',
    params: withId,
    reply: channel,
  },
  clearUsageWarning: {
    audience: 'admin',
    summary: 'Clear the warning about implausible usage reported by a channel',
    params: withId,
    reply: channel,
  },
  test: {
    audience: 'admin',
    summary: 'Test a channel with one minimal request, free of charge',
    params: withId,
    query: z.object({ model: textFilter }),
    reply: channelTest,
    changes: true,
  },
  types: {
    audience: 'admin',
    summary: 'List channel types and the fields of their forms',
    reply: z.array(channelType),
  },
  health: {
    audience: 'admin',
    summary: 'Attempts and failures of every channel by hour',
    reply: z.array(channelHealth),
  },
  providerModels: {
    audience: 'admin',
    summary: 'List the provider’s models, with the given key or, for an id without a key, the stored one',
    body: modelListInput,
    reply: z.array(z.string()),
  },
} as const satisfies SchemasByEndpoint;

/** `GET /api/channel/models` answers without the envelope, as OpenAI's model list does. */
export const knownModelsPath = '/api/channel/models';
