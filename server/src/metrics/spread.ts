/** A histogram: how many values are at or below each bound, and their sum. */
export class Spread {
  readonly bounds: readonly number[];
  /** One more than bounds: the last counts values above all bounds. */
  readonly counts: number[];
  sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = [...bounds, 0].map(() => 0);
  }

  add(value: number): void {
    const { bounds } = this;
    let i = 0;
    while (i < bounds.length && value > (bounds[i] ?? Infinity)) i++;
    this.counts[i] = (this.counts[i] ?? 0) + 1;
    this.sum += value;
  }
}
