import * as z from 'zod/mini';
import { channel } from './channel.ts';
import { channelChanged } from './channel-batch.ts';
import { tagEdit } from './channel-input.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { listQuery, pageOf, textFilter } from '../list.ts';
import { id, text } from '../values.ts';

/** All channels of a tag, summed up. */
export const channelTag = z.object({
  /** A tag has no number of its own. */
  id: z.literal(0),
  tag: z.string(),
  /** Of the first member. */
  type: z.int(),
  types: z.array(z.int()),
  /** What all members serve together. */
  models: z.string(),
  group: z.string(),
  channels: z.int(),
  enabled: z.int(),
  disabled: z.int(),
  test_disabled: z.int(),
  /** Members whose `trouble` is `failing`. */
  failing: z.int(),
  /** The highest and the lowest of the members. */
  priority: z.int(),
  lowest_priority: z.int(),
  used_quota: z.int(),
});
export type ChannelTag = z.infer<typeof channelTag>;

const ofTag = z.object({ tag: text(32, 1) });

export const channelTagSchemas = {
  names: {
    audience: 'admin',
    summary: 'Tags in use',
    reply: z.array(z.object({ id: z.literal(0), tag: z.string() })),
  },
  list: {
    audience: 'admin',
    summary: 'Tags, each with what its channels are together',
    query: z.extend(listQuery(['tag', 'channels', 'enabled', 'failing', 'priority', 'used_quota']), {
      tag: textFilter,
      /** In the tag, the names, models and addresses of its channels. */
      keyword: textFilter,
    }),
    reply: pageOf(channelTag),
  },
  get: {
    audience: 'admin',
    summary: 'The first channel of a tag, as what all of them share starts from, and the ends of all keys',
    params: ofTag,
    reply: z.extend(channel, { keys: z.array(z.object({ channel_id: id, key_hint: z.string() })) }),
  },
  members: {
    audience: 'admin',
    summary: 'The channels of a tag',
    params: ofTag,
    reply: z.array(channel),
  },
  update: {
    audience: 'admin',
    summary: 'Give all channels of a tag what is named; new keys become further channels of it',
    params: ofTag,
    body: tagEdit,
    reply: z.extend(channelChanged, { added: z.int() }),
  },
  setPriority: {
    audience: 'admin',
    summary: 'Give all channels of a tag one priority',
    params: ofTag,
    body: z.object({ type: z.literal('priority'), value: z.int().check(z.gte(0), z.lte(1_000_000)) }),
    reply: channelChanged,
  },
  setStatus: {
    audience: 'admin',
    summary: 'Switch all channels of a tag on or off',
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
    summary: 'Delete the channels of a tag that are disabled, by hand or by the server',
    params: ofTag,
    reply: channelChanged,
  },
} as const satisfies SchemasByEndpoint;
