import * as z from 'zod/mini';
import { cacheFields, costFields, speedQuantiles } from '../analytics/analytics.ts';
import { channelFailures } from '../channel/attempt-kind.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, idParam, seconds } from '../values.ts';

/** Kinds of failed attempts: at the channel's fault, and because of the `request` or the `caller`. */
export const failureKinds = [...channelFailures, 'request', 'caller'] as const;
export type FailureKind = (typeof failureKinds)[number];

const counts = { requests: z.int(), failures: z.int() };

/** A failed call, or a failed attempt that another channel made up for. */
const failedCall = z.object({
  /** Of its log row. */
  id: z.int(),
  created_at: seconds,
  model_name: z.string(),
  username: z.string(),
  token_name: z.string(),
  /** The last channel tried; 0 and empty for owners of tokens. */
  channel_id: z.int(),
  channel_name: z.string(),
  kind: z.enum(failureKinds),
  /** HTTP status of the upstream, or of the reply if no attempt was made; 0: none. */
  status: z.int(),
  /** Error message, with secrets masked. */
  message: z.string(),
  /** The channel that answered the call after all. */
  rescued_by: z.nullable(z.object({ id: z.int(), name: z.string() })),
});
export type FailedCall = z.infer<typeof failedCall>;

const total = { ...counts, quota: credits, prompt_tokens: z.int(), completion_tokens: z.int(), ...cacheFields };
const part = { key: z.string(), name: z.string(), ...counts, quota: credits };

/** Activity of a token for its owner, without purchase costs. */
const ownActivity = z.object({
  /** Whole hours; the last one is the current hour. */
  from: seconds,
  until: seconds,
  bar_seconds: z.int(),
  /** Oldest first, without gaps: attempts of a channel, else calls. */
  bars: z.array(z.object({ start: seconds, ...counts })),
  /** Sums of `bars`. */
  tries: z.object(counts),
  /** Attempts by key of a channel; of keys without any, nothing. Counted apart from `tries`, so sums may differ a little. */
  keys: z.array(z.object({ id: z.int(), ...counts })),
  /** Calls that were answered, or failed, here. */
  total: z.object(total),
  /** The largest parts: models, or channels of a model (`key` is the id). */
  parts: z.array(z.object(part)),
  /** Most frequent first. */
  reasons: z.array(z.object({ kind: z.enum(failureKinds), count: z.int() })),
  /** Refused calls of a user or token by reason; not among the failures. */
  refusals: z.array(z.object({ reason: z.string(), status: z.int(), count: z.int() })),
  /** Of successful calls, from the same histograms as the analytics. */
  speed: z.object({
    duration: speedQuantiles,
    /** Streamed calls only. */
    first_token: speedQuantiles,
  }),
  /** As `speed`, by hour of 24, or by day of 7 in the server's time zone; without gaps. The last one is running. */
  speeds: z.array(z.object({ start: seconds, until: seconds, duration: speedQuantiles, first_token: speedQuantiles })),
  /** The latest first. */
  failures: z.array(failedCall),
  /** Rescued attempts are found among this many latest calls of the server; 0: not looked for. */
  rescues_of: z.int(),
});

/** Activity of a channel, user, token or model in the last 24 hours or 7 days. */
export const activity = z.extend(ownActivity, {
  /** Calls that were answered, or failed, here; of a channel, the costs of its attempts. */
  total: z.object({ ...total, ...costFields }),
  parts: z.array(z.object({ ...part, ...costFields })),
});
export type Activity = z.infer<typeof activity>;

const period = { days: z._default(z.enum(['1', '7']), '1') };
export type ActivityDays = z.infer<typeof period.days>;

const withId = z.object({ id: idParam });
const within = z.object(period);

export const activitySchemas = {
  channel: {
    audience: 'admin',
    summary: 'Attempts, failures, latency and cost of a channel in the last 24 hours or 7 days',
    params: withId,
    query: within,
    reply: activity,
  },
  user: {
    audience: 'admin',
    summary: 'Calls, failures, refusals, latency and cost of a user in the last 24 hours or 7 days',
    params: withId,
    query: within,
    reply: activity,
  },
  model: {
    audience: 'admin',
    summary: 'Calls, failures, latency and cost of a model in the last 24 hours or 7 days; `gpt-4*` sums up a prefix',
    query: z.object({ ...period, model: z.string().check(z.minLength(1), z.maxLength(200)) }),
    reply: activity,
  },
  token: {
    audience: 'admin',
    summary: 'Calls, failures, refusals, latency and cost of a token that you may manage',
    params: withId,
    query: within,
    reply: activity,
  },
  ownToken: {
    audience: 'user',
    summary: 'Calls, failures, refusals, latency and cost of one of your tokens',
    params: withId,
    query: within,
    reply: ownActivity,
  },
} as const satisfies SchemasByEndpoint;
