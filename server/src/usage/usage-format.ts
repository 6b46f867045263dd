import type { Usage } from '@relay-hub/contract';
import { objectOf } from './counts.ts';

/**
 * How a wire format tells what a call used. Pure and total: parsed JSON in, values out, nothing thrown. The relay finds
 * the raw usage in a reply or in each event of a stream, merges what a stream told, and reads it once at the end.
 */
export interface UsageFormat {
  /** The raw usage that a reply, or one event of a stream, tells; undefined when it tells none. */
  find(message: unknown): unknown;
  /** Whether one telling of a stream counts the answer; left out: each one does. */
  tellsOutput?(raw: unknown): boolean;
  /** What a stream has told so far, after one more telling. Counters in streams are cumulative: they are never added. */
  merge(before: unknown, now: unknown): unknown;
  /**
   * The normal form; undefined when usage is absent, or when a counter is something that no call can have (negative,
   * fractional, a text, absurdly large). Zero is a value, not an absence.
   */
  read(raw: unknown): Usage | undefined;
}

/** Where each telling is whole: the last one is it. */
export const lastWins = (_before: unknown, now: unknown): unknown => now;

/** Where a later telling can leave counters out, or null: these stay as they were told before. */
export const lastOfEachWins = (before: unknown, now: unknown): unknown => ({
  ...objectOf(before),
  ...Object.fromEntries(Object.entries(objectOf(now) ?? {}).filter(([, value]) => value !== null)),
});
