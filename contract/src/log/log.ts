import * as z from 'zod/mini';
import { csvFile, downloadOptions } from '../download.ts';
import type { SchemasByEndpoint } from '../endpoint.ts';
import { numberFilter, pageOf } from '../list.ts';
import { logFilters, logQuery, ownLogFilters, ownLogQuery, unknownKeysQuery } from './log-input.ts';
import { usageFinding, usageMarks } from './usage-check.ts';
import { idParam, seconds } from '../values.ts';

/**
 * What kind of fault ended an attempt. `connect`: no connection, so nothing was sent. `key`: the key or its permissions.
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

/** One try at one channel. */
export const attempt = z.object({
  channel_id: z.int(),
  channel_name: z.string(),
  /** HTTP status of the upstream; 0 when there was no answer. */
  status: z.int(),
  /** Milliseconds from the start of the call to the start of this attempt. */
  start: z.int(),
  /** Milliseconds that this attempt took. */
  ms: z.int(),
  /** Milliseconds of this attempt until the first byte of the answer; absent when none came. */
  first_byte: z.optional(z.int()),
  /** `ok`, or why it failed: an error code, e.g. `upstream_status`, `connect_failed`, `timeout`, `stream_broken`. */
  result: z.string(),
  /** After a failure: what kind of fault it was. Absent in rows of older versions. */
  cause: z.optional(z.enum(faultCauses)),
  /** The channel or its host was resting, and this call tried whether it works again. */
  probe: z.optional(z.boolean()),
  /** What the upstream said, its secrets masked. */
  message: z.optional(z.string()),
  /** The same without the operator's addresses and account ids, where it differs: what the caller may read. */
  shown: z.optional(z.string()),
  /**
   * After a failure: that another channel was asked (`other_host`: at another host, since this one cannot be reached),
   * or why none was (`host_down`: those left are at hosts that cannot be reached; `others_rest`: those left are closed).
   */
  next: z.optional(
    z.enum([
      'retried',
      'other_host',
      'no_other_channel',
      'host_down',
      'others_rest',
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
 * How a call ended. `answered`: in full. `client_gone`: the caller left, the upstream was read to its end.
 * `broken`: the upstream broke off; what it had produced is charged. `failed`: nothing was produced, nothing charged.
 * `released`: the process died during the call and nothing is known of its usage, so nothing is charged.
 */
export const outcomes = ['answered', 'client_gone', 'broken', 'failed', 'released'] as const;

/** What explains a row of type 5: equal refusals of one token within an hour are one row. */
export const refusal = z.object({
  /** The error code, or finer where one code has several causes, e.g. `token_expired` for `invalid_api_key`. */
  reason: z.string(),
  /** How many calls the row stands for. `created_at` is the time of the last of them, `request_id` its id. */
  count: z.int(),
  first_time: seconds,
  first_request_id: z.string(),
  token_id: z.int(),
  /** Credits that the last call needed; 0: not known. */
  needed: z.int(),
  /** The row stands for several models, because the token asked for too many different ones. */
  many_models: z.boolean(),
});
export type Refusal = z.infer<typeof refusal>;

/** What explains a row of type 2. Keys without a note are those of the product family; absent counts are zero. */
export const logMetadata = z.object({
  group_name: z.optional(z.string()),
  price_type: z.optional(z.enum(['tokens', 'times'])),
  group_ratio: z.optional(z.number()),
  input_ratio: z.optional(z.number()),
  output_ratio: z.optional(z.number()),
  /** Milliseconds until the first byte of the answer. */
  first_response: z.optional(z.int()),
  cached_tokens: z.optional(z.int()),
  cached_tokens_ratio: z.optional(z.number()),
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
  /** Seconds of sound that were charged; they are in neither count of tokens. */
  audio_seconds: z.optional(z.int()),
  audio_seconds_ratio: z.optional(z.number()),
  /** How often a `times` price was charged; absent: once. */
  units: z.optional(z.int()),
  outcome: z.optional(z.enum(outcomes)),
  /** The version of the price that was charged. */
  price_version: z.optional(z.int()),
  /** Where the counts come from; an estimate is used only when the upstream told none. */
  usage_source: z.optional(z.enum(['upstream', 'estimate'])),
  /** The reported usage could not be, or was far from what was visible, and why. */
  usage_mark: z.optional(z.enum(usageMarks)),
  usage_findings: z.optional(z.array(usageFinding)),
  /** Credits that were set aside before the call was sent. */
  reserved: z.optional(z.int()),
  /** Credits that the call cost beyond what was left; they were not taken. */
  shortfall: z.optional(z.int()),
  endpoint: z.optional(z.string()),
  /** The model that was asked for, where it is not the billed one, and the one that was sent upstream. */
  requested_model: z.optional(z.string()),
  upstream_model: z.optional(z.string()),
  finish_reason: z.optional(z.string()),
  /** HTTP status that the caller got, and the error code in it. */
  status: z.optional(z.int()),
  error: z.optional(z.string()),
  attempts: z.optional(z.array(attempt)),
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

/** A page of the log, which may be too long to be counted, or searched, at once. */
export const logPage = z.extend(pageOf(log), {
  /** There are more rows than `total_count`, which then is only the least that there are. */
  more: z.boolean(),
  /** Where the next page begins, and where the one before it ends; empty where there is none. */
  next: z.string(),
  previous: z.string(),
  /** The search was long and stopped at this time without filling the page; `next` goes on with it. 0: it did not. */
  searched_to: seconds,
  /** The order is of the newest so many rows alone; 0: of all. */
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
  /** Refused calls that the filters find; only where they were asked for. */
  refused: z.optional(z.int()),
  /** The sums are of calls since then, the newest, because there are too many to add up one by one. 0: of all. */
  since: seconds,
});
export type LogTotals = z.infer<typeof logTotals>;

/** Calls from one address, or one /64 of IPv6, whose key is no token's. */
export const unknownKeys = z.object({
  /** Empty: all the addresses that were too many to be counted one by one. */
  address: z.string(),
  /** Calls with a key that is no token's, and calls without a key. */
  unknown: z.int(),
  missing: z.int(),
  first_time: seconds,
  last_time: seconds,
  /** The path of the last call. */
  endpoint: z.string(),
});
export type UnknownKeys = z.infer<typeof unknownKeys>;

const withId = z.object({ id: idParam });

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
  totals: {
    audience: 'admin',
    summary: 'Totals of matching calls',
    query: z.object({ ...logFilters, channel: numberFilter }),
    reply: logTotals,
  },
  ownTotals: {
    audience: 'user',
    summary: 'Totals of your matching calls',
    query: z.object(ownLogFilters),
    reply: logTotals,
  },
  download: {
    audience: 'admin',
    summary: 'Export matching log rows as CSV, in order of time',
    query: z.extend(logQuery, downloadOptions),
    file: csvFile,
  },
  ownDownload: {
    audience: 'user',
    summary: 'Export your matching log rows as CSV, in order of time',
    query: z.extend(ownLogQuery, downloadOptions),
    file: csvFile,
  },
} as const satisfies SchemasByEndpoint;
