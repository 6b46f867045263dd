import type { Figures } from './measure.ts';

export interface Measured {
  name: string;
  /** One entry per round. */
  rounds: Figures[];
}

export type Figure = (figures: Figures) => number | undefined;

/** Figures of one target as multiples of another target's in the same round. */
export function ratios(one: Measured, other: Measured, of: Figure): (number | undefined)[] {
  return one.rounds.map((figures, round) => {
    const base = other.rounds[round];
    const [above, below] = [of(figures), base && of(base)];
    return above !== undefined && below !== undefined ? above / below : undefined;
  });
}

export const perCore: Figure = (f) => (f.cpuUsPerRequest === undefined ? f.requestsPerSecond : 1e6 / f.cpuUsPerRequest);

export const perCore256: Figure = (f) =>
  f.cpuUsPerRequest256 === undefined ? f.requestsPerSecond256 : 1e6 / f.cpuUsPerRequest256;
