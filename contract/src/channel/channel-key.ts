import * as z from 'zod/mini';
import { channelTest } from './channel.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { textFilter } from '../list.ts';
import { id, idParam, seconds, upstreamKey } from '../values.ts';

/** A key of a channel. The key itself is write-only. */
export const channelKey = z.object({
  id,
  key_hint: z.string(),
  /** A `channelStatus`. */
  status: z.int(),
  /** Why the server disabled it; empty if it did not. */
  reason: z.string(),
  /** Last error of the upstream with this key, masked. */
  last_error: z.string(),
  last_error_time: seconds,
  /** Milliseconds of its last successful test; 0 = never. */
  response_time: z.int(),
  test_time: seconds,
  created_time: seconds,
});
export type ChannelKey = z.infer<typeof channelKey>;

const ofChannel = { id: idParam };
const ofKey = { id: idParam, key: idParam };

export const channelKeySchemas = {
  list: {
    audience: 'admin',
    summary: 'List a channel’s keys, masked, with their state',
    params: z.object(ofChannel),
    reply: z.array(channelKey),
  },
  add: {
    audience: 'admin',
    summary: 'Add keys, one per line; keys the channel already has are skipped',
    params: z.object(ofChannel),
    body: z.object({ keys: upstreamKey.check(z.minLength(1)) }),
    reply: z.object({ added: z.int(), repeated: z.int() }),
  },
  update: {
    audience: 'admin',
    summary: 'Enable or disable a key',
    params: z.object(ofKey),
    body: z.object({ status: z.union([z.literal(1), z.literal(2)]) }),
    reply: channelKey,
  },
  remove: {
    audience: 'admin',
    summary: 'Delete a key; a channel’s last key cannot be deleted',
    params: z.object(ofKey),
  },
  test: {
    audience: 'admin',
    summary: 'Test a key with one minimal request, free of charge',
    params: z.object(ofKey),
    query: z.object({ model: textFilter }),
    reply: channelTest,
  },
} as const satisfies SchemasByEndpoint;
