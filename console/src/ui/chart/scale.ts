/** A scale from zero: where its round values stand and where any value does. */
export interface Scale {
  ticks: number[];
  /** Pixel of a value. */
  at: (value: number) => number;
}

/**
 * About `count` round steps (1, 2 or 5 times a power of ten) that reach `most`, from pixel `from` to pixel `to`.
 * d3's scales bring colours, formats and interpolation along, 8 KiB for the two that a bar chart needs.
 */
export function linearScale(most: number, count: number, from: number, to: number): Scale {
  const step = roundStep((most > 0 ? most : 1) / count);
  const steps = Math.max(1, Math.ceil((most > 0 ? most : 1) / step - 1e-9));
  // Divided, not multiplied: 3 × 0.1 is not 0.3.
  const value = (index: number) => (step < 1 ? index / Math.round(1 / step) : index * step);
  const top = value(steps);
  return {
    ticks: Array.from({ length: steps + 1 }, (_, index) => value(index)),
    at: (wanted) => from + (wanted / top) * (to - from),
  };
}

/** The round step nearest to a rough one, by ratio. */
function roundStep(rough: number): number {
  const power = 10 ** Math.floor(Math.log10(rough));
  const share = rough / power;
  const factor = share >= Math.sqrt(50) ? 10 : share >= Math.sqrt(10) ? 5 : share >= Math.sqrt(2) ? 2 : 1;
  return factor * power;
}

export interface Bands {
  /** From the start of one band to the start of the next. */
  step: number;
  width: number;
  start: (index: number) => number;
}

/** Equal bands between two pixels; `inner` and `outer` are the gaps between and around them, as shares of a step. */
export function bandScale(count: number, from: number, to: number, inner: number, outer: number): Bands {
  const step = (to - from) / Math.max(1, count - inner + outer * 2);
  return { step, width: step * (1 - inner), start: (index) => from + step * (outer + index) };
}
