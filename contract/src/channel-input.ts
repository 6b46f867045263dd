import * as z from 'zod/mini';
import { splitList } from './texts.ts';
import { baseAddress, id, jsonHeaders, jsonTextMap, modelList, text, upstreamKey } from './values.ts';

const groups = z.string().check(
  z.overwrite((list) => [...new Set(splitList(list))].join(',')),
  z.minLength(1),
  z.maxLength(2000),
);

const fields = {
  type: z.int().check(z.gte(1), z.lte(2_147_483_647)),
  name: text(100, 1),
  /** One key a line; each line becomes a channel of its own. */
  key: upstreamKey.check(z.minLength(1)),
  base_url: z._default(baseAddress, ''),
  other: z._default(text(500), ''),
  models: modelList,
  group: z._default(groups, 'default'),
  tag: z._default(text(32), ''),
  priority: z._default(z.int().check(z.gte(0), z.lte(1_000_000)), 0),
  weight: z._default(z.int().check(z.gte(1), z.lte(1_000_000)), 1),
  status: z._default(z.union([z.literal(1), z.literal(2)]), 1),
  model_mapping: z._default(jsonTextMap, ''),
  model_headers: z._default(jsonHeaders, ''),
  test_model: z._default(text(100), ''),
  only_chat: z._default(z.boolean(), false),
  pre_cost: z._default(z.int().check(z.gte(1), z.lte(3)), 1),
};

export const newChannel = z.object(fields);

/** Only what is given is changed; an empty key leaves the stored one. */
export const channelEdit = z.object({
  id,
  type: z.optional(fields.type),
  name: z.optional(fields.name),
  key: z.optional(upstreamKey.check(z.regex(/^[^\r\n]*$/, { error: 'key.one_line' }))),
  base_url: z.optional(baseAddress),
  other: z.optional(text(500)),
  models: z.optional(modelList),
  group: z.optional(groups),
  tag: z.optional(text(32)),
  priority: z.optional(z.int().check(z.gte(0), z.lte(1_000_000))),
  weight: z.optional(z.int().check(z.gte(1), z.lte(1_000_000))),
  status: z.optional(z.union([z.literal(1), z.literal(2)])),
  model_mapping: z.optional(jsonTextMap),
  model_headers: z.optional(jsonHeaders),
  test_model: z.optional(text(100)),
  only_chat: z.optional(z.boolean()),
  pre_cost: z.optional(z.int().check(z.gte(1), z.lte(3))),
});

/** A channel, saved or not, whose provider is asked for its models. */
export const modelListAsked = z.object({
  id: z._default(z.int().check(z.gte(0)), 0),
  type: fields.type,
  key: z._default(upstreamKey, ''),
  base_url: z._default(baseAddress, ''),
  model_headers: z._default(jsonHeaders, ''),
});
