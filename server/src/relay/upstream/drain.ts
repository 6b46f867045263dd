import type { AttemptResult } from '#relay/types/attempt-result.ts';

/**
 * Heartbeat rounds after the caller has left: 24 (two minutes) for a silent upstream without a first-token timeout,
 * because some models think first; 120 (ten minutes) in all.
 */
const SILENT_ROUNDS = 24;
const ALL_ROUNDS = 120;
/** Estimates of output differ from the upstream's count by up to a quarter. */
const MARGIN = 1.25;
const SLACK = 256;

/** Upstreams read for callers who have left; beyond this number, calls end when their caller leaves. */
export const MAX_DRAINS = 1000;

/** Estimated output after which reading for a caller who left ends, by what their call may produce. */
export const mostDrained = (reserved: number | undefined): number =>
  reserved === undefined ? Infinity : reserved * MARGIN + SLACK;

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
