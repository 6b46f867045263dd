import type { Usage } from '@relay-hub/contract';

/**
 * Validation of reported counts. An independent counter (prompt, answer, or a separate cache counter) must be
 * plausible: otherwise it becomes NaN and `believed` rejects the usage. A part only refines the price of its whole: an
 * invalid one counts as 0, and one larger than the rest of its whole is cut. So no counter is ever negative, and no
 * part exceeds its whole.
 */

/** More than any call can have. */
const MOST = 1_000_000_000;

/** The counters that are set. */
export const kindsOf = (usage: Partial<Usage>): (keyof Usage)[] => Object.keys(usage) as (keyof Usage)[]; // a usage has no other members

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** An independent counter: undefined if absent, NaN if invalid. */
export function countOf(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  return isCount(value) ? value + 0 : Number.NaN; // + 0 turns -0 into 0
}

/** A part: the first valid value, else 0. */
export function partOf(...values: unknown[]): number {
  for (const value of values) if (isCount(value)) return value + 0;
  return 0;
}

/** Assigns each part in order, cut to what is left of the whole, and the remainder to `rest`. */
export function share(usage: Usage, whole: number, rest: 'input' | 'output', parts: Partial<Usage>): void {
  let left = whole;
  for (const kind in parts) {
    const part = Math.min(left, parts[kind as keyof Usage] ?? 0);
    usage[kind as keyof Usage] = part; // parts have no other members
    left -= part;
  }
  usage[rest] = left;
}

/** The cached part of a prompt by kind, where its sound and pictures are reported. */
export function cachedParts(cached: number, audio: number, image: number): Partial<Usage> {
  const cachedAudio = Math.min(cached, audio);
  const cachedImage = Math.min(cached - cachedAudio, image);
  return { cached: cached - cachedAudio - cachedImage, cachedAudio, cachedImage };
}

/**
 * Whether a part is counted separately from its whole: decided by the reported total if it matches either sum, else
 * `usually`.
 */
export function liesBeside(total: unknown, without: number, part: number, usually: boolean): boolean {
  if (part === 0 || total === without) return false;
  return total === without + part || usually;
}

/** The usage; undefined if a counter is invalid. */
export function believed(usage: Usage): Usage | undefined {
  for (const kind in usage) if (!Number.isInteger(usage[kind as keyof Usage])) return undefined;
  return usage;
}
