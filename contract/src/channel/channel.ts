import * as z from 'zod/mini';
import { channelFailures } from './attempt-kind.ts';
import { channelFilters } from './channel-filter.ts';
import {
  channelEdit,
  channelFeatures,
  gonePolicies,
  modelListAsked,
  newChannel,
  pluginOptions,
} from './channel-input.ts';
import { channelTrouble } from './channel-trouble.ts';
import { channelType } from './channel-type.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { usageWarning } from '../log/usage-check.ts';
import { id, idParam, seconds } from '../values.ts';

/**
 * An upstream account. Its keys are write-only: `key` is always empty here, `key_hint` shows the ends of the first one.
 * Values of headers, the password of a proxy and secret options stand as `keptSecret`.
 */
export const channel = z.object({
  id,
  type: z.int(),
  name: z.string(),
  status: z.int(),
  key: z.string(),
  key_hint: z.string(),
  /** How many keys it has, and how many of them are switched off. */
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
  /** Whether its upstream gets the fields of a body that say where to send a call (`routingFields`). */
  pass_routing_fields: z.boolean(),
  pre_cost: z.int(),
  plugin: pluginOptions,
  /** What a request must not need for this channel to be chosen. */
  excluded: z.array(z.enum(channelFeatures)),
  /** Models that it does not stream. */
  disabled_stream: z.array(z.string()),
  /** Seconds; 0 = as long as the server allows any upstream. */
  connect_timeout: z.int(),
  first_token_timeout: z.int(),
  idle_timeout: z.int(),
  total_timeout: z.int(),
  on_client_gone: z.enum(gonePolicies),
  /** For the policy `limit`: how long, and how much, is read on. */
  gone_seconds: z.int(),
  gone_tokens: z.int(),
  /** In the currency of the account, as last asked for. */
  balance: z.number(),
  balance_currency: z.string(),
  balance_updated_time: seconds,
  used_quota: z.int(),
  /** Milliseconds of the last successful test; 0 = never tested. */
  response_time: z.int(),
  test_time: seconds,
  created_time: seconds,
  /** What the upstream last complained of, masked; empty when it is well. */
  last_error: z.string(),
  last_error_time: seconds,
  /** The last usage that it reported and that cannot be, until somebody has seen it; null: there is none. */
  usage_warning: z.nullable(usageWarning),
  /** Others are preferred until then, after a failure; 0 = it is not frozen. Known to the server that is asked. */
  frozen_until: seconds,
  /** What is wrong with it now; null: nothing, or it was switched off by hand. */
  trouble: z.nullable(channelTrouble),
});
export type Channel = z.infer<typeof channel>;

export const channelTest = z.object({
  /** Milliseconds from request to the whole answer. */
  ms: z.int(),
  model: z.string(),
  /** The beginning of what the model said; empty for models that answer with numbers. */
  answer: z.string(),
});
export type ChannelTest = z.infer<typeof channelTest>;

export const channelHealth = z.object({
  channel_id: id,
  /**
   * The last 24 hours, oldest first: attempts at this channel and how many of them failed, also where another channel
   * answered the call then. Tests do not count, nor do attempts that failed because of the caller or the request.
   */
  hours: z.array(
    z.object({
      requests: z.int(),
      failures: z.int(),
      /** The failures by their reason; absent: there are none. */
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
  /** Those first that need looking after: frozen, switched off by the server, failing, slow; switched off by hand last. */
  'trouble',
] as const;

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
  create: {
    audience: 'admin',
    summary: 'Create one channel per line of `key`, named name, name_2, name_3 …, or one channel with all keys',
    body: newChannel,
    reply: z.array(channel),
  },
  update: {
    audience: 'admin',
    summary: 'Update the given fields of a channel',
    body: channelEdit,
    reply: channel,
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
    summary: 'Unfreeze a channel that was frozen after a failure',
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
    body: modelListAsked,
    reply: z.array(z.string()),
  },
} as const satisfies SchemasByEndpoint;

/** `GET /api/channel/models` answers without the envelope, as OpenAI's model list does. */
export const knownModelsPath = '/api/channel/models';
