import * as z from 'zod/mini';
import { providerWishes } from '../channel/provider-wishes.ts';
import { csvFile, downloadOptions, ownDownloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { guardMark } from '../guard/guard.ts';
import { choice, numberFilter, pageOf } from '../list.ts';
import {
  exportParts,
  holderFilters,
  logFilters,
  logQuery,
  ownLogFilters,
  ownLogQuery,
  unknownKeysQuery,
} from './log-input.ts';
import { usageFinding, usageMarks } from './usage-check.ts';
import { priceRule } from '../price/price-rules.ts';
import { feeEvents, serviceModes } from '../price/served.ts';
import { idParam, seconds } from '../values.ts';

/**
 * Cause of a failed attempt. `connect`: no connection, so nothing was sent. `key`: the key or its permissions.
 * `billing`: the vendor's account is out of money or switched off. `route`: no such model, deployment or path there.
 * `rate`: a 429. `server`: a 5xx or an error of that kind. `timeout`. `broken`: the connection was lost, or the answer
 * cannot be read. `content`: the vendor blocked the prompt or the answer. `request`: another mistake in the request.
 * `ours`: this server, e.g. too few file descriptors.
 */
export const faultCauses = [
  'connect',
  'key',
  'billing',
  'route',
  'rate',
  'server',
  'timeout',
  'broken',
  'content',
  'request',
  'ours',
] as const;
export type FaultCause = (typeof faultCauses)[number];

/**
 * Where the cost of an attempt comes from: the provider's own statement, or the channel's multiple of the list price.
 * `own`: the channel's own purchase price of the model. `refused`: the provider refused the request or never received it, which costs nothing.
 */
export const costSources = ['provider', 'own', 'multiple', 'refused'] as const;

/** Cost of an attempt for the operator, in credits, as an exact decimal. */
export const attemptCost = z.object({
  credits: z.string(),
  by: z.enum(costSources),
  /** Id of the own purchase price. */
  version: z.optional(z.int()),
});
export type AttemptCost = z.infer<typeof attemptCost>;

export const cacheDecisions = ['placed', 'kept', 'moved', 'full'] as const;

/** One attempt at a channel. */
export const attempt = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  /** Type of the channel, in replies to administrators while the channel exists. */
  channel_type: z.optional(z.int()),
  /** HTTP status of the upstream; 0 when there was no answer. */
  status: z.int(),
  /** Milliseconds from the start of the call to the start of this attempt. */
  start: z.int(),
  /** Duration in milliseconds. */
  ms: z.int(),
  /** The model of the step of a virtual model; absent in calls for a model. */
  model: z.optional(z.string()),
  /** Milliseconds of this attempt until the first byte of the answer, or the first content of a stream; absent when none came. */
  first_byte: z.optional(z.int()),
  /** `ok`, or why it failed: an error code, e.g. `upstream_status`, `connect_failed`, `timeout`, `stream_broken`. */
  result: z.string(),
  /** After a failure: what kind of fault it was. Absent in rows of older versions. */
  cause: z.optional(z.enum(faultCauses)),
  /** The channel or its host was frozen, and this call probed it. */
  probe: z.optional(z.boolean()),
  /**
   * Effect of the conversation's prompt cache on the choice. `placed`: the first call known here, which later ones
   * follow. `kept`: at the channel and key with the cache. `moved`: these were unavailable. `full`: not kept, because
   * of too many calls this minute.
   */
  affinity: z.optional(z.enum(cacheDecisions)),
  /** The preference of the site by which the channel was drawn; absent: by weight, by a wish, or kept for its cache. */
  preferred: z.optional(z.enum(['latency', 'cost'])),
  /** For administrators; absent: unknown, which is not free. */
  cost: z.optional(attemptCost),
  /** Error message of the upstream, with secrets masked. */
  message: z.optional(z.string()),
  /** The message shown to callers, without the operator's addresses and account ids; absent if it is the same. */
  shown: z.optional(z.string()),
  /**
   * After a failure: whether another channel was tried (`other_host`: at another host, since this one is unreachable),
   * or why not (`host_down`: the others' hosts are unreachable; `others_rest`: the others are frozen; `others_full`:
   * they are at their limits). `next_model`: the next step of a virtual model.
   */
  next: z.optional(
    z.enum([
      'retried',
      'other_host',
      'next_model',
      'no_other_channel',
      'host_down',
      'others_rest',
      'others_full',
      'out_of_attempts',
      'out_of_time',
      'not_retryable',
      'pinned',
      'answer_had_begun',
      'client_gone',
      'stopping',
    ]),
  ),
});
export type Attempt = z.infer<typeof attempt>;

/**
 * Outcome of a call. `answered`: complete. `client_gone`: the client disconnected, the upstream was read to its end.
 * `broken`: the upstream broke off; its output is charged. `failed`: no output, nothing charged.
 * `released`: the process died during the call and its usage is unknown, so nothing is charged.
 */
export const outcomes = ['answered', 'client_gone', 'broken', 'failed', 'released'] as const;

/** Details of a row of type 5. Equal refusals of a token within an hour share one row. */
export const refusal = z.object({
  /** The error code, or a finer reason, such as `token_expired` for `invalid_api_key`. */
  reason: z.string(),
  /** Number of calls; `created_at` and `request_id` are those of the last one. */
  count: z.int(),
  first_time: seconds,
  first_request_id: z.string(),
  token_id: z.int(),
  /** Credits required by the last call; 0: unknown. */
  needed: z.int(),
  /** The row covers several models, because the token requested too many. */
  many_models: z.boolean(),
});
export type Refusal = z.infer<typeof refusal>;

/** The price of a row's counters, and each counter with its ratio; absent counts are zero. */
const chargedCounts = z.object({
  price_type: z.optional(z.enum(['tokens', 'times'])),
  input_ratio: z.optional(z.number()),
  output_ratio: z.optional(z.number()),
  /** Version of the price charged. */
  price_version: z.optional(z.int()),
  cached_tokens: z.optional(z.int()),
  cached_tokens_ratio: z.optional(z.number()),
  /** Sound and pictures from a cache; `cached_tokens` is without them. */
  cached_audio_tokens: z.optional(z.int()),
  cached_audio_tokens_ratio: z.optional(z.number()),
  cached_image_tokens: z.optional(z.int()),
  cached_image_tokens_ratio: z.optional(z.number()),
  cached_read_tokens: z.optional(z.int()),
  cached_read_ratio: z.optional(z.number()),
  cached_write_tokens: z.optional(z.int()),
  cached_write_ratio: z.optional(z.number()),
  cached_write_1h_tokens: z.optional(z.int()),
  cached_write_1h_ratio: z.optional(z.number()),
  input_audio_tokens: z.optional(z.int()),
  input_audio_tokens_ratio: z.optional(z.number()),
  input_image_tokens: z.optional(z.int()),
  input_image_tokens_ratio: z.optional(z.number()),
  output_audio_tokens: z.optional(z.int()),
  output_audio_tokens_ratio: z.optional(z.number()),
  output_image_tokens: z.optional(z.int()),
  output_image_tokens_ratio: z.optional(z.number()),
  reasoning_tokens: z.optional(z.int()),
  reasoning_tokens_ratio: z.optional(z.number()),
  /** Charged seconds of audio, not included in token counts. */
  audio_seconds: z.optional(z.int()),
  audio_seconds_ratio: z.optional(z.number()),
  /** Units charged at a `times` price; absent: one. */
  units: z.optional(z.int()),
  /** Rules of the price that held for the call, in its order; absent: none. */
  rules: z.optional(z.array(priceRule)),
});

/** Details of a row of type 2. Keys without a comment are those of the product family. */
export const logMetadata = z.extend(chargedCounts, {
  group_name: z.optional(z.string()),
  group_ratio: z.optional(z.number()),
  /** Milliseconds until the first content of a streamed answer. */
  first_response: z.optional(z.int()),
  /** Usage of other models for the call, each at its own price: an adviser, the model behind a tool's images. */
  models: z.optional(
    z.array(z.extend(chargedCounts, { model: z.string(), prompt_tokens: z.int(), completion_tokens: z.int() })),
  ),
  /** Events with a fee: their count, and the fee as a ratio; absent: none. */
  fees: z.optional(z.array(z.object({ event: z.enum(feeEvents), count: z.int(), fee: z.number() }))),
  /** Counts of events that have no fee in the price, for pricing the call again. */
  events: z.optional(z.partialRecord(z.enum(feeEvents), z.int())),
  /** How the upstream says it served the call; members that it does not report are absent. */
  served: z.optional(
    z.object({
      modes: z.optional(z.array(z.enum(serviceModes))),
      /** Tiers that were requested, if others were reported; none: standard. */
      asked: z.optional(z.array(z.enum(serviceModes))),
      region: z.optional(z.string()),
      /** The model that the reply names, if not the one that was sent; and the fingerprint of its back end. */
      model: z.optional(z.string()),
      fingerprint: z.optional(z.string()),
      /** Prompt tokens of the longest of several steps. */
      prompt_tokens: z.optional(z.int()),
      /** Start of the attempt that answered, if the price has rules. */
      at: z.optional(seconds),
    }),
  ),
  /** Fields of the request that cost extra at the provider and have no price: sent, or removed before. */
  unpriced: z.optional(z.array(z.string())),
  outcome: z.optional(z.enum(outcomes)),
  /** Source of the counts; estimated only if the upstream reported none. */
  usage_source: z.optional(z.enum(['upstream', 'estimate'])),
  /** The reported usage was implausible or unusual, and why. */
  usage_mark: z.optional(z.enum(usageMarks)),
  usage_findings: z.optional(z.array(usageFinding)),
  /** Credits reserved for the call, including those that a stream or session reserved while it ran. */
  reserved: z.optional(z.int()),
  /** Balance or budget that ended a stream early: `user_quota`, `token_quota`, or the name of a budget such as `credits:day`. */
  ended_by: z.optional(z.string()),
  /** Cost beyond the balance, which was not charged. */
  shortfall: z.optional(z.int()),
  endpoint: z.optional(z.string()),
  /** The requested model, if not the billed one, and the model sent upstream. */
  requested_model: z.optional(z.string()),
  upstream_model: z.optional(z.string()),
  finish_reason: z.optional(z.string()),
  /** Findings of guardrails; absent: none. */
  guard: z.optional(z.array(guardMark)),
  /** Its request and reply were kept. */
  content: z.optional(z.literal(true)),
  /** Trace that the call was exported in, as 32 hex digits. */
  trace_id: z.optional(z.string()),
  /** HTTP status and error code of the reply. */
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  attempts: z.optional(z.array(attempt)),
  /** The task that the call submitted. */
  task_id: z.optional(z.string()),
  /** Credits returned because the task failed, or because a batch needed less; `quota` stays the charge. */
  task_refund: z.optional(z.int()),
  /** Delivered part of a batch, which its charge was settled by: requests, tokens, and the credits for all of them. */
  batch: z.optional(
    z.object({
      answered: z.int(),
      refused: z.int(),
      input_tokens: z.int(),
      output_tokens: z.int(),
      cached_tokens: z.int(),
      credits: z.int(),
    }),
  ),
  /** Periods of limits in which the call counts: name of the cap, when its period began, and whose it is if not the token's. */
  limits: z.optional(z.array(z.union([z.tuple([z.string(), seconds]), z.tuple([z.string(), seconds, z.string()])]))),
  /** Periods of plans that paid for the call, with the name of the plan and their part. Not in the row's quota. */
  plans: z.optional(z.array(z.object({ id: z.int(), name: z.string(), credits: z.int() }))),
  /**
   * The call named a virtual model: its version, and the step that answered or failed last, from 1. A copy for comparison
   * has step 0 and the request id of the call.
   */
  virtual: z.optional(z.object({ name: z.string(), version: z.int(), step: z.int(), copy_of: z.optional(z.string()) })),
  /** Wishes of the caller about providers. */
  wishes: z.optional(providerWishes),
  /** Limits of its token on providers. */
  provider_limits: z.optional(providerWishes),
  /** Answered from the reply cache: seconds since the reply was made, and the part of its price that is charged, in percent. */
  reply_cache: z.optional(z.object({ age: z.int(), percent: z.int() })),
  /** Only in rows of type 5, which also have `group_name`, `endpoint`, `status` and `error`. */
  refusal: z.optional(refusal),
});
export type LogMetadata = z.infer<typeof logMetadata>;

export const log = z.object({
  id: z.int(),
  user_id: z.int(),
  created_at: seconds,
  type: z.int(),
  content: z.string(),
  username: z.string(),
  /** 0: no call, or imported without its token. */
  token_id: z.int(),
  /** Its name at the time of the call. */
  token_name: z.string(),
  model_name: z.string(),
  quota: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  channel_id: z.int(),
  /** Milliseconds. */
  request_time: z.int(),
  is_stream: z.boolean(),
  source_ip: z.string(),
  request_id: z.string(),
  metadata: z.nullable(logMetadata),
  channel: z.nullable(z.object({ id: z.int(), name: z.string() })),
});
export type Log = z.infer<typeof log>;

/** A page of the log, which may be too long to count or search at once. */
export const logPage = z.extend(pageOf(log), {
  /** `total_count` is a lower bound. */
  more: z.boolean(),
  /** Cursors of the next and the previous page; empty if there is none. */
  next: z.string(),
  previous: z.string(),
  /** Time at which a long search stopped before the page was full; `next` continues it. 0: complete. */
  searched_to: seconds,
  /** Number of newest rows that were sorted; 0: all. */
  sorted_newest: z.int(),
});
export type LogPage = z.infer<typeof logPage>;

export const logTotals = z.object({
  /** Credits. */
  quota: z.int(),
  requests: z.int(),
  failures: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
  /** Number of refused calls, if requested. */
  refused: z.optional(z.int()),
  /** The totals cover only calls since this time, because there are too many; 0: all. */
  since: seconds,
});
export type LogTotals = z.infer<typeof logTotals>;

/** Calls with unknown or missing keys from one IP address, or one IPv6 /64. */
export const unknownKeys = z.object({
  /** Empty: the sum of addresses beyond the limit. */
  address: z.string(),
  /** Calls with an unknown key, and calls without a key. */
  unknown: z.int(),
  missing: z.int(),
  first_time: seconds,
  last_time: seconds,
  /** The path of the last call. */
  endpoint: z.string(),
});
export type UnknownKeys = z.infer<typeof unknownKeys>;

const withId = z.object({ id: idParam });

/** Request and reply of a call as text, with keys, card numbers and e-mail addresses masked. */
const logContent = z.object({
  request: z.string(),
  /** Empty: there is none, or it was too long. */
  reply: z.string(),
  content_type: z.string(),
  /** A part is missing. */
  truncated: z.boolean(),
});
export type LogContent = z.infer<typeof logContent>;

export const logSchemas = {
  list: {
    audience: 'admin',
    summary: 'List the log of all users',
    query: logQuery,
    reply: logPage,
  },
  ownList: {
    audience: 'user',
    summary: 'List your log',
    query: ownLogQuery,
    reply: logPage,
  },
  unknownKeys: {
    audience: 'admin',
    summary: 'List calls with an unknown or missing key, by IP address',
    query: unknownKeysQuery,
    reply: pageOf(unknownKeys),
  },
  get: {
    audience: 'admin',
    summary: 'Get a log row',
    params: withId,
    reply: log,
  },
  ownGet: {
    audience: 'user',
    summary: 'Get one of your log rows',
    params: withId,
    reply: log,
  },
  content: {
    audience: 'root',
    summary: 'Read the kept request and reply of a call; the audit log names who did',
    params: withId,
    reply: logContent,
  },
  ownContent: {
    audience: 'user',
    summary: 'Get the kept request and reply of one of your calls',
    params: withId,
    reply: logContent,
  },
  totals: {
    audience: 'admin',
    summary: 'Totals of matching calls',
    query: z.object({ ...logFilters, channel: numberFilter }),
    reply: logTotals,
  },
  ownTotals: {
    audience: 'user',
    summary: 'Totals of your matching calls',
    query: z.object({ ...ownLogFilters, ...holderFilters }),
    reply: logTotals,
  },
  download: {
    audience: 'admin',
    summary:
      'Export matching log rows as CSV, in order of time; with `archived=1` also calls that are only in archives',
    query: z.extend(logQuery, { ...downloadOptions, ...exportParts, archived: choice(1) }),
    file: csvFile,
  },
  ownDownload: {
    audience: 'user',
    summary: 'Export your matching log rows as CSV, in order of time',
    query: z.extend(ownLogQuery, { ...ownDownloadOptions, ...exportParts }),
    file: csvFile,
  },
} as const satisfies SchemasByEndpoint;
