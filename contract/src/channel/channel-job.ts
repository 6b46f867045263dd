import * as z from 'zod/mini';
import { channelScope } from './channel-batch.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { id, idParam, seconds } from '../values.ts';

export const channelJobKinds = ['test', 'balance'] as const;

/**
 * Why a channel was not tested: its type has no test, it has no model that a test can call, only wildcards, or the
 * provider has no test for its test model.
 */
export const testSkipReasons = ['type', 'models', 'wildcards', 'unsupported'] as const;
export type TestSkipReason = (typeof testSkipReasons)[number];

/** A background job over many channels; one of each kind runs at a time. */
export const channelJob = z.object({
  kind: z.enum(channelJobKinds),
  /** `interrupted`: the node that ran it stopped. */
  state: z.enum(['none', 'running', 'done', 'cancelled', 'interrupted']),
  total: z.int(),
  /** Processed channels: the sum of the next three. */
  done: z.int(),
  succeeded: z.int(),
  failed: z.int(),
  /** Not tested. */
  skipped: z.int(),
  /** Disabled or re-enabled because of the result. */
  switched_off: z.int(),
  switched_on: z.int(),
  /** The first failures. */
  failures: z.array(z.object({ id, name: z.string(), message: z.string() })),
  /** The first channels that were not tested. */
  skips: z.array(z.object({ id, name: z.string(), reason: z.enum(testSkipReasons) })),
  started_time: seconds,
  ended_time: seconds,
});
export type ChannelJob = z.infer<typeof channelJob>;
export type ChannelJobKind = ChannelJob['kind'];

export const channelJobSchemas = {
  list: {
    audience: 'admin',
    summary: 'Progress or result of channel tests and balance updates',
    reply: z.array(channelJob),
  },
  testAll: {
    audience: 'admin',
    summary: 'Start testing all channels, free of charge',
    reply: channelJob,
    changes: true,
  },
  testSome: {
    audience: 'admin',
    summary: 'Start testing several channels, free of charge',
    body: z.object({ scope: channelScope }),
    reply: channelJob,
  },
  updateBalances: {
    audience: 'admin',
    summary: 'Start updating the balances of all enabled channels whose provider reports one',
    reply: channelJob,
    changes: true,
  },
  updateBalance: {
    audience: 'admin',
    summary: 'Update the balance of a channel',
    params: z.object({ id: idParam }),
    reply: z.object({ balance: z.number(), balance_currency: z.string() }),
    changes: true,
  },
  cancel: {
    audience: 'admin',
    summary: 'Cancel a channel job; finished work is kept',
    params: z.object({ kind: z.enum(channelJobKinds) }),
    reply: channelJob,
  },
} as const satisfies SchemasByEndpoint;
