import type { Usage } from '@relay-hub/contract';

/**
 * What every reader does with numbers that come from outside. A counter that stands for itself (the whole prompt, the
 * whole answer, a cache counter beside them) must be believable, or the whole usage is not: it becomes NaN here and
 * `believed` throws the usage away. A part is only a hint at how to price a piece of its whole: an odd one counts as none,
 * and one that is larger than what is left of its whole is cut to that. So no usage ever has a negative counter, and no
 * part is charged beyond its whole.
 */

export type Json = Readonly<Record<string, unknown>>;

/** More than any call can have; a larger count is a fault, not a usage. */
const MOST = 1_000_000_000;

export const objectOf = (value: unknown): Json | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST;

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** A counter that stands for itself: undefined when it is absent, NaN when it cannot be a count. */
export function countOf(value: unknown): number | undefined {
  if (isAbsent(value)) return undefined;
  return isCount(value) ? value + 0 : Number.NaN; // + 0 makes of -0 a 0
}

/** A part of a whole, from the first place that tells a believable one; 0 when none does. */
export function partOf(...values: unknown[]): number {
  const found = values.find(isCount);
  return found === undefined ? 0 : found + 0;
}

/** Writes each part, in the order they stand, with what is left of its whole for it, and what is left then to `rest`. */
export function share(usage: Usage, whole: number, rest: 'input' | 'output', parts: Partial<Usage>): void {
  let left = whole;
  for (const kind in parts) {
    const part = Math.min(left, parts[kind as keyof Usage] ?? 0);
    usage[kind as keyof Usage] = part;
    left -= part;
  }
  usage[rest] = left;
}

/**
 * Whether a part lies beside its whole instead of inside: the told total says so where it is exactly the sum with or
 * without the part, else it is as `usually`.
 */
export function liesBeside(total: unknown, without: number, part: number, usually: boolean): boolean {
  if (part === 0 || total === without) return false;
  return total === without + part || usually;
}

/** The usage; undefined when one of its counters cannot be believed. */
export function believed(usage: Usage): Usage | undefined {
  for (const kind in usage) if (!Number.isInteger(usage[kind as keyof Usage])) return undefined;
  return usage;
}
