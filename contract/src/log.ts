import * as z from 'zod/mini';
import type { Usage } from './charge.ts';
import { endpoint } from './endpoint.ts';
import { listQuery, numberFilter, pageOf, textFilter } from './list.ts';
import { idParam, seconds } from './values.ts';

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
  /** What the upstream said, masked. */
  message: z.optional(z.string()),
});
export type Attempt = z.infer<typeof attempt>;

/**
 * How a call ended. `answered`: in full. `client_gone`: the caller left, the upstream was read to its end.
 * `broken`: the upstream broke off; what it had produced is charged. `failed`: nothing was produced, nothing charged.
 * `released`: the process died during the call and nothing is known of its usage, so nothing is charged.
 */
export const outcomes = ['answered', 'client_gone', 'broken', 'failed', 'released'] as const;

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
  reasoning_tokens: z.optional(z.int()),
  reasoning_tokens_ratio: z.optional(z.number()),
  outcome: z.optional(z.enum(outcomes)),
  /** The version of the price that was charged. */
  price_version: z.optional(z.int()),
  /** Where the counts come from; an estimate is used only when the upstream told none. */
  usage_source: z.optional(z.enum(['upstream', 'estimate'])),
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

/** The non-overlapping counters of a log row. */
export function usageOf(row: Pick<Log, 'prompt_tokens' | 'completion_tokens' | 'metadata'>): Usage {
  const m = row.metadata ?? {};
  const cached = m.cached_tokens ?? 0;
  const inputAudio = m.input_audio_tokens ?? 0;
  const inputImage = m.input_image_tokens ?? 0;
  const outputAudio = m.output_audio_tokens ?? 0;
  const reasoning = m.reasoning_tokens ?? 0;
  return {
    input: row.prompt_tokens - cached - inputAudio - inputImage,
    cached,
    cacheRead: m.cached_read_tokens ?? 0,
    cacheWrite: m.cached_write_tokens ?? 0,
    cacheWrite1h: m.cached_write_1h_tokens ?? 0,
    inputAudio,
    inputImage,
    output: row.completion_tokens - outputAudio - reasoning,
    outputAudio,
    reasoning,
  };
}

export const logColumns = [
  'id',
  'created_at',
  'channel_id',
  'user_id',
  'token_name',
  'model_name',
  'type',
  'source_ip',
  'quota',
  'request_time',
] as const;

/** Which channel served a call is the operator's business, also as an order. */
const ownLogColumns = logColumns.filter((column) => column !== 'channel_id');

const own = {
  log_type: numberFilter,
  model_name: textFilter,
  token_name: textFilter,
  request_id: textFilter,
  start_timestamp: numberFilter,
  end_timestamp: numberFilter,
};
const anyones = { ...own, username: textFilter, source_ip: textFilter, channel_id: numberFilter };

export const logTotals = z.object({
  /** Credits. */
  quota: z.int(),
  requests: z.int(),
  failures: z.int(),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  cached_tokens: z.int(),
});
export type LogTotals = z.infer<typeof logTotals>;

const withId = z.object({ id: idParam });

export const logApi = {
  list: endpoint({
    method: 'GET',
    path: '/api/log/',
    audience: 'admin',
    summary: 'Everybody’s log',
    query: z.extend(listQuery(logColumns), anyones),
    reply: pageOf(log),
  }),
  ownList: endpoint({
    method: 'GET',
    path: '/api/log/self',
    audience: 'user',
    summary: 'Own log',
    query: z.extend(listQuery(ownLogColumns), own),
    reply: pageOf(log),
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/log/:id',
    audience: 'admin',
    summary: 'One row',
    params: withId,
    reply: log,
  }),
  ownGet: endpoint({
    method: 'GET',
    path: '/api/log/self/:id',
    audience: 'user',
    summary: 'One own row',
    params: withId,
    reply: log,
  }),
  totals: endpoint({
    method: 'GET',
    path: '/api/log/stat',
    audience: 'admin',
    summary: 'Sums over the calls that a filter finds',
    query: z.extend(z.object(anyones), { channel: numberFilter }),
    reply: logTotals,
  }),
  ownTotals: endpoint({
    method: 'GET',
    path: '/api/log/self/stat',
    audience: 'user',
    summary: 'The same over own calls',
    query: z.object(own),
    reply: logTotals,
  }),
};
