import type { AttemptResult } from './attempt-result.ts';

/**
 * For so many rounds of the heart after its caller has left an upstream is waited for that has said nothing, where its
 * channel has no time of its own for that: two minutes, for some think before they speak. And so many in all: half an
 * hour.
 */
const SILENT_ROUNDS = 24;
const ALL_ROUNDS = 360;

/** Upstreams that are read for callers who have left; beyond these, a call is broken off when its caller leaves. */
export const MAX_DRAINS = 1000;

/** Why an upstream is read no longer for a caller who left so many rounds ago; undefined: it is. */
export function endOfDrain(
  rounds: number,
  { status, firstByteMs }: AttemptResult,
  wantsStream: boolean,
): 'first_token_timeout' | 'client_gone' | undefined {
  // An answer in one piece is silent until it is done.
  const isSilent = firstByteMs === undefined && (wantsStream || status !== 0);
  if (isSilent && rounds >= SILENT_ROUNDS) return 'first_token_timeout';
  return rounds >= ALL_ROUNDS ? 'client_gone' : undefined;
}
