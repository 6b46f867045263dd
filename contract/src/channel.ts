import * as z from 'zod/mini';
import { endpoint } from './endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from './list.ts';
import { channelEdit, modelListAsked, newChannel } from './channel-input.ts';
import { id, idParam, seconds } from './values.ts';

/** An upstream account. Its key is write-only: `key` is always empty here, `key_hint` shows its ends. */
export const channel = z.object({
  id,
  type: z.int(),
  name: z.string(),
  status: z.int(),
  key: z.string(),
  key_hint: z.string(),
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
  pre_cost: z.int(),
  /** USD, as last asked for. */
  balance: z.number(),
  balance_updated_time: seconds,
  used_quota: z.int(),
  /** Milliseconds of the last successful test; 0 = never tested. */
  response_time: z.int(),
  test_time: seconds,
  created_time: seconds,
  /** What the upstream last complained of, masked; empty when it is well. */
  last_error: z.string(),
  last_error_time: seconds,
});
export type Channel = z.infer<typeof channel>;

/** What the form of a channel type asks for, so that the console needs no list of providers of its own. */
export const channelType = z.object({
  type: z.int(),
  title: z.string(),
  /** Used when a channel has no address of its own; empty means that one must be typed in. */
  base_url: z.string(),
  test_model: z.string(),
  /** Whether the provider can be asked for its models. */
  lists_models: z.boolean(),
  /** Where the operator finds keys and bills; empty when there is no such page. */
  website: z.string(),
});
export type ChannelType = z.infer<typeof channelType>;

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
  /** The last 24 hours, oldest first: calls sent to this channel and how many of them failed. */
  hours: z.array(z.object({ requests: z.int(), failures: z.int() })),
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
] as const;

export const channelApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/channel/',
    audience: 'admin',
    summary: 'Channels',
    query: z.extend(listQuery(channelColumns), {
      /** In name, model list, tag or address. */
      keyword: textFilter,
      name: textFilter,
      models: textFilter,
      group: textFilter,
      tag: textFilter,
      type: numberFilter,
      status: numberFilter,
    }),
    reply: pageOf(channel),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/channel/:id',
    audience: 'admin',
    summary: 'One channel',
    params: withId,
    reply: channel,
  }),
  create: endpoint({
    method: 'POST',
    path: '/api/channel/',
    audience: 'admin',
    summary: 'Create a channel for each line of `key`; the second and later are named name_2, name_3 …',
    body: newChannel,
    reply: z.array(channel),
  }),
  update: endpoint({
    method: 'PUT',
    path: '/api/channel/',
    audience: 'admin',
    summary: 'Change the given fields of a channel',
    body: channelEdit,
    reply: channel,
  }),
  remove: endpoint({
    method: 'DELETE',
    path: '/api/channel/:id',
    audience: 'admin',
    summary: 'Delete a channel',
    params: withId,
  }),
  test: endpoint({
    method: 'GET',
    path: '/api/channel/test/:id',
    audience: 'admin',
    summary: 'Send one smallest request through the channel; nobody is charged',
    params: withId,
    query: z.object({ model: textFilter }),
    reply: channelTest,
    changes: true,
  }),
  types: endpoint({
    method: 'GET',
    path: '/api/channel/types',
    audience: 'admin',
    summary: 'Channel types and what their forms ask for',
    reply: z.array(channelType),
  }),
  health: endpoint({
    method: 'GET',
    path: '/api/channel/health',
    audience: 'admin',
    summary: 'Calls and failures of every channel, hour by hour',
    reply: z.array(channelHealth),
  }),
  providerModels: endpoint({
    method: 'POST',
    path: '/api/channel/provider_models_list',
    audience: 'admin',
    summary: 'Ask the provider for its models, with the key given or, with an id and no key, the stored one',
    body: modelListAsked,
    reply: z.array(z.string()),
  }),
};

/** `GET /api/channel/models` answers without the envelope, as OpenAI's model list does. */
export const knownModelsPath = '/api/channel/models';
