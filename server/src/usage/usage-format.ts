import type { Usage } from '@relay-hub/contract';
import { objectOf } from '#json.ts';
import type { ServedReport } from './served.ts';

/**
 * Reads a wire format's usage. Pure and total: parsed JSON in, values out, nothing thrown. The relay finds the raw
 * usage in a reply or each stream event, merges a stream's reports, and reads the result once at the end.
 */
export interface UsageFormat {
  /** The raw usage in a reply or stream event; undefined if there is none. */
  find(message: unknown): unknown;
  /** Whether a stream's report includes the output; absent: always. */
  reportsOutput?(raw: unknown): boolean;
  /** Merges a stream's report into the previous ones. Counters are cumulative and never added. */
  merge(before: unknown, now: unknown): unknown;
  /**
   * The normalised usage; undefined if absent or if a counter is invalid (negative, fractional, a string, absurdly
   * large). Zero is a value, not an absence.
   */
  read(raw: unknown): Usage | undefined;
  /** How a reply or stream event says that the call was served; absent: the format reports nothing. */
  served?(message: unknown): ServedReport | undefined;
}

/** For formats whose reports are complete. */
export const lastWins = (_before: unknown, now: unknown): unknown => now;

/** For formats whose later reports may omit counters or set null. */
export const lastOfEachWins = (before: unknown, now: unknown): unknown => ({
  ...objectOf(before),
  ...Object.fromEntries(Object.entries(objectOf(now) ?? {}).filter(([, value]) => value !== null)),
});
