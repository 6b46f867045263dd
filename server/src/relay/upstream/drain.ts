import type { AttemptResult } from './attempt-result.ts';

/**
 * Heartbeat rounds after the caller has left: 24 (two minutes) for a silent upstream without a first-token timeout,
 * because some models think first; 360 (half an hour) in all.
 */
const SILENT_ROUNDS = 24;
const ALL_ROUNDS = 360;

/** Upstreams read for callers who have left; beyond this number, calls end when their caller leaves. */
export const MAX_DRAINS = 1000;

/** Why reading for a caller who left `rounds` ago ends; undefined: it goes on. */
export function endOfDrain(
  rounds: number,
  { status, firstByteMs }: AttemptResult,
  wantsStream: boolean,
): 'first_token_timeout' | 'client_gone' | undefined {
  // A reply that is not a stream is silent until it is complete.
  const isSilent = firstByteMs === undefined && (wantsStream || status !== 0);
  if (isSilent && rounds >= SILENT_ROUNDS) return 'first_token_timeout';
  return rounds >= ALL_ROUNDS ? 'client_gone' : undefined;
}
