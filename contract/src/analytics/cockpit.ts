import * as z from 'zod/mini';
import { channelFailures } from '../channel/attempt-kind.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { credits, seconds } from '../values.ts';

const counts = z.array(z.int());
/** Milliseconds until the first content of streams; null: there were none. */
const firstToken = z.nullable(z.int());

/** Of successful streams, which `streams` counts. */
const speed = { streams: z.int(), p50: firstToken, p95: firstToken };

const calls = { calls: z.int(), refused: z.int(), failed: z.int() };
const attempts = { attempts: z.int(), failed: z.int() };

/** `slow`: the first token takes much longer than usual. */
export const liveStates = ['well', 'slow', 'failing', 'frozen'] as const;

const channel = z.object({
  id: z.int(),
  name: z.string(),
  /** Type of the channel; 0: it was deleted. */
  type: z.int(),
  ...attempts,
  state: z.enum(liveStates),
  /** Commonest failure, and how often it happened. */
  reason: z.nullable(z.enum(channelFailures)),
  reason_count: z.int(),
  /** Median of the last ten minutes and of the time before. */
  first_token: firstToken,
  usual_first_token: firstToken,
  /** 0: not frozen. */
  frozen_until: seconds,
});
export type LiveChannel = z.infer<typeof channel>;

const user = z.object({
  id: z.int(),
  name: z.string(),
  /** The token with most calls, and the number of tokens. */
  token: z.string(),
  tokens: z.int(),
  ...calls,
});

const model = z.object({ name: z.string(), ...calls });

/** Equal failures, refusals or freezes; the facts are those of the last one. */
const trouble = z.object({
  kind: z.enum(['failed', 'refused', 'frozen']),
  time: seconds,
  count: z.int(),
  /** HTTP status: the upstream's last one for failures, the caller's for refusals; 0: none. */
  status: z.int(),
  /** Failure: kind of its last attempt, `hub` without any. Refusal: its reason. Freeze: its cause, as in the log. */
  reason: z.string(),
  message: z.string(),
  channel_id: z.int(),
  channel: z.string(),
  model: z.string(),
  username: z.string(),
  token: z.string(),
  /** Users concerned, of which the last one is named. */
  users: z.int(),
});
export type LiveTrouble = z.infer<typeof trouble>;

/**
 * The calls of the last hour on all nodes. `calls` − `refused` − `unsent` + `retries` = `attempts`. Calls with an unknown key are
 * not included.
 */
export const cockpit = z.object({
  time: seconds,
  /** Start of the first of sixty minutes; the last one is still running. */
  from: seconds,
  minutes: z.object({
    calls: counts,
    refused: counts,
    failed: counts,
    attempts: counts,
    failed_attempts: counts,
    quota: counts,
    p50: z.array(firstToken),
    p95: z.array(firstToken),
  }),
  total: z.object({
    ...calls,
    retries: z.int(),
    /** Calls that failed before any attempt. */
    unsent: z.int(),
    attempts: z.int(),
    failed_attempts: z.int(),
    quota: credits,
    ...speed,
  }),
  /** Of the last five minutes and the running one, since `from`. */
  recent: z.object({ from: seconds, ...calls, quota: credits, ...speed }),
  /** Most calls first. `others` sums up all further ones; `count` is a lower bound. */
  users: z.array(user),
  other_users: z.object({ count: z.int(), ...calls }),
  models: z.array(model),
  other_models: z.object({ count: z.int(), ...calls }),
  /** Most attempts first. */
  channels: z.array(channel),
  /** `troubled` of them are failing, slow or frozen. */
  other_channels: z.object({ count: z.int(), ...attempts, troubled: z.int() }),
  /** Newest first. */
  troubles: z.array(trouble),
});
export type Cockpit = z.infer<typeof cockpit>;

/** Events of the stream. */
export const cockpitEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('cockpit'), data: cockpit }),
  z.object({ type: z.literal('heartbeat'), data: z.string() }),
]);
export type CockpitEvent = z.infer<typeof cockpitEvent>;

export const cockpitSchemas = {
  live: {
    audience: 'admin',
    summary:
      'The calls of the last hour as server-sent events: the whole state, again after each change, at most every two seconds. Events are `{type, data}` with type `cockpit` or `heartbeat`',
    file: 'text/event-stream',
  },
} as const satisfies SchemasByEndpoint;
