/** A linear scale from zero with round ticks. */
export interface Scale {
  ticks: number[];
  /** Pixel position of a value. */
  at: (value: number) => number;
}

/**
 * A scale up to at least `most` in about `count` round steps (1, 2 or 5 times a power of ten), from pixel `from` to `to`.
 * Not d3-scale, which would load 8 KiB of colours, formats and interpolation for the two scales of a bar chart.
 */
export function linearScale(most: number, count: number, from: number, to: number): Scale {
  const step = roundStep((most > 0 ? most : 1) / count);
  const steps = Math.max(1, Math.ceil((most > 0 ? most : 1) / step - 1e-9));
  // Divide instead of multiply: 3 × 0.1 is not 0.3.
  const value = (index: number) => (step < 1 ? index / Math.round(1 / step) : index * step);
  const top = value(steps);
  return {
    ticks: Array.from({ length: steps + 1 }, (_, index) => value(index)),
    at: (wanted) => from + (wanted / top) * (to - from),
  };
}

/** The round step closest to a rough one, by ratio. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  const factor = share >= Math.sqrt(50) ? 10 : share >= Math.sqrt(10) ? 5 : share >= Math.sqrt(2) ? 2 : 1;
  return factor * power;
}

export interface Bands {
  /** Pixels from the start of one band to the next. */
  step: number;
  width: number;
  start: (index: number) => number;
}

interface BandRange {
  count: number;
  /** Pixels of both ends. */
  from: number;
  to: number;
  /** Gaps between the bands, as a share of a step. */
  inner: number;
  /** Gaps before the first and after the last band, as a share of a step. */
  outer: number;
}

/** A scale of equal bands between two pixels. */
export function bandScale({ count, from, to, inner, outer }: BandRange): Bands {
  const step = (to - from) / Math.max(1, count - inner + outer * 2);
  return { step, width: step * (1 - inner), start: (index) => from + step * (outer + index) };
}
