import { logType, type Attempt, type Log, type LogMetadata } from '@relay-hub/contract';
import { formatSeconds } from '#ui/format/number.ts';

/** Failed and refused calls have a reason, and no tokens. */
export const saysWhy = (row: Log): boolean => isRefused(row) || (kindOf(row) === 'failed' && !countsTokens(row));

/** The kind of a row, for icon, text and colour. */
export type LogKind =
  | 'consume'
  | 'refused'
  | 'failed'
  | 'broken'
  | 'released'
  | 'topup'
  | 'manage'
  | 'system'
  | 'unknownType';

export const isCall = (row: Log): boolean => row.type === logType.consume;

/** Calls refused before any channel was asked. */
export const isRefused = (row: Log): boolean => row.type === logType.refused;

export function kindOf(row: Log): LogKind {
  const outcome = row.metadata?.outcome;
  if (isCall(row)) return outcome === 'failed' || outcome === 'broken' || outcome === 'released' ? outcome : 'consume';
  return otherKinds.find(([type]) => type === row.type)?.[1] ?? 'unknownType';
}

const otherKinds = [
  [logType.refused, 'refused'],
  [logType.topup, 'topup'],
  [logType.manage, 'manage'],
  [logType.system, 'system'],
] as const;

/** All input tokens: the prompt, and the cache counters that some providers report separately. */
export function inputOf({ prompt_tokens: prompt, metadata }: Log): number {
  const m: LogMetadata = metadata ?? {};
  return prompt + (m.cached_read_tokens ?? 0) + (m.cached_write_tokens ?? 0) + (m.cached_write_1h_tokens ?? 0);
}

/** False for failed calls and for prices by call. */
export const countsTokens = (row: Log): boolean => inputOf(row) + row.completion_tokens > 0;

/** The cached part of the input. */
export const cachedOf = ({ metadata }: Log): number =>
  (metadata?.cached_tokens ?? 0) + (metadata?.cached_read_tokens ?? 0);

/** Milliseconds until the first byte of a stream; undefined for complete replies and refusals. */
export const firstOf = ({ is_stream: stream, metadata }: Log): number | undefined =>
  stream && metadata?.outcome !== 'failed' ? metadata?.first_response : undefined;

/** Shorter times measure the network rather than the model. */
const measurableMs = 20;

export interface Speed {
  /** Tokens per second. */
  rate: number;
  /** Milliseconds from the first byte to the end. */
  ms: number;
}

export function speedOf(row: Log): Speed | undefined {
  const first = firstOf(row);
  if (first === undefined || row.completion_tokens === 0) return undefined;
  const ms = row.request_time - first;
  return ms < measurableMs ? undefined : { rate: (row.completion_tokens * 1000) / ms, ms };
}

export const attemptsOf = ({ metadata }: Log): readonly Attempt[] => metadata?.attempts ?? [];

/** The row's subject in short: its model, or its content. */
export const subjectOf = (row: Log): string => row.model_name || row.content;

/** Shorter durations are shown in milliseconds. */
const leastSecondsMs = 100;

/** `13.36 s`, `4 ms` */
export const formatDuration = (ms: number): string => (ms < leastSecondsMs ? `${ms} ms` : formatSeconds(ms));
