import { logType, type Attempt, type Log, type LogMetadata } from '@relay-hub/contract';
import { formatSeconds } from '#ui/format/number.ts';

/** What a row is, for its icon, word and colour. */
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

/** Calls that were refused before any channel was asked. */
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

/** Everything that was read: the prompt, and the cache counters that some providers keep beside it. */
export function inputOf({ prompt_tokens: prompt, metadata }: Log): number {
  const m: LogMetadata = metadata ?? {};
  return prompt + (m.cached_read_tokens ?? 0) + (m.cached_write_tokens ?? 0) + (m.cached_write_1h_tokens ?? 0);
}

/** Nothing was counted where a call failed, or has a price for the call as a whole. */
export const countsTokens = (row: Log): boolean => inputOf(row) + row.completion_tokens > 0;

/** The part of it that came from a cache. */
export const cachedOf = ({ metadata }: Log): number =>
  (metadata?.cached_tokens ?? 0) + (metadata?.cached_read_tokens ?? 0);

/** Milliseconds until the first byte of a stream; replies in one piece and refusals have none worth telling. */
export const firstOf = ({ is_stream: stream, metadata }: Log): number | undefined =>
  stream && metadata?.outcome !== 'failed' ? metadata?.first_response : undefined;

/** Below this, what is measured is the network, not the model. */
const measurableMs = 20;

export interface Speed {
  /** Tokens a second. */
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

/** What the row is about, in a word: its model, or what was written down. */
export const subjectOf = (row: Log): string => row.model_name || row.content;

/** Where even the hundredth of a second says nothing, milliseconds do. */
const leastSecondsMs = 100;

/** `13.36 s`, `4 ms` */
export const formatDuration = (ms: number): string => (ms < leastSecondsMs ? `${ms} ms` : formatSeconds(ms));
