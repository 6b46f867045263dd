import * as z from 'zod/mini';
import { channel } from './channel.ts';
import { channelChanged } from './channel-batch.ts';
import { tagEdit } from './channel-input.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { id, text } from '../values.ts';

/** Totals of the channels of a tag. */
export const channelTag = z.object({
  /** Tags have no id. */
  id: z.literal(0),
  tag: z.string(),
  /** Of the first member. */
  type: z.int(),
  types: z.array(z.int()),
  /** Models and groups of all members. */
  models: z.string(),
  group: z.string(),
  channels: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  test_disabled: z.int(),
  /** Members whose `trouble` is `failing`. */
  failing: z.int(),
  /** Highest and lowest priority of the members. */
  priority: z.int(),
  lowest_priority: z.int(),
  used_quota: z.int(),
});
export type ChannelTag = z.infer<typeof channelTag>;

/** `id` and the other columns of channels are the old default orders; tags are then sorted by name. */
export const channelTagColumns = [
  'tag',
  'channels',
  'enabled',
  'failing',
  'used_quota',
  'id',
  'name',
  'group',
  'type',
  'status',
  'response_time',
  'balance',
  'priority',
  'weight',
] as const;

const ofTag = z.object({ tag: text(32, 1) });

export const channelTagSchemas = {
  names: {
    audience: 'admin',
    summary: 'List tag names',
    reply: z.array(z.object({ id: z.literal(0), tag: z.string() })),
  },
  list: {
    audience: 'admin',
    summary: 'List tags with totals',
    query: z.extend(listQuery(channelTagColumns), {
      tag: textFilter,
      /** In the tag, or the names, models and addresses of its channels. */
      keyword: textFilter,
    }),
    reply: pageOf(channelTag),
  },
  get: {
    audience: 'admin',
    summary:
      'Get the first channel of a tag, the template for changes of the tag, with the masked keys of all its channels',
    params: ofTag,
    reply: z.extend(channel, { keys: z.array(z.object({ channel_id: id, key_hint: z.string() })) }),
  },
  members: {
    audience: 'admin',
    summary: 'List the channels of a tag',
    params: ofTag,
    reply: z.array(channel),
  },
  update: {
    audience: 'admin',
    summary:
      'Update all channels of a tag. A list of keys replaces theirs, or adds to them with `key_mode` `add`; each new key becomes another channel',
    params: ofTag,
    body: tagEdit,
    reply: z.extend(channelChanged, { added: z.int(), removed: z.int() }),
  },
  setPriority: {
    audience: 'admin',
    summary: 'Set the priority of all channels of a tag',
    params: ofTag,
    body: z.object({ type: z.literal('priority'), value: z.int().check(z.gte(0), z.lte(1_000_000)) }),
    reply: channelChanged,
  },
  setStatus: {
    audience: 'admin',
    summary: 'Enable or disable all channels of a tag',
    params: z.extend(ofTag, { status: z.enum(['enable', 'disable']) }),
    reply: channelChanged,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete all channels of a tag',
    params: ofTag,
    reply: channelChanged,
  },
  removeDisabled: {
    audience: 'admin',
    summary: 'Delete the disabled channels of a tag, disabled manually or by the server',
    params: ofTag,
    reply: channelChanged,
  },
} as const satisfies SchemasByEndpoint;
