import type { MetricObjectWithValues, MetricValueWithName } from 'prom-client';
import { Histogram } from 'prom-client';
import type { Spread } from './spread.ts';

interface Labelled {
  labels: Record<string, string>;
  spread: Spread;
}

type HistogramMetric = MetricObjectWithValues<MetricValueWithName<string>>;

/** A histogram from existing counters. */
export class SpreadMetric extends Histogram {
  readonly #told: Pick<HistogramMetric, 'name' | 'help'>;
  readonly #read: () => Labelled[];

  constructor(name: string, help: string, read: () => Labelled[]) {
    super({ name, help, registers: [] });
    this.#told = { name, help };
    this.#read = read;
  }

  override async get(): Promise<HistogramMetric> {
    const values = this.#read().flatMap(({ labels, spread }) => valuesOf(this.#told.name, labels, spread));
    // The types of prom-client declare an enum; its code uses this string.
    const type = 'histogram' as unknown as HistogramMetric['type'];
    return { ...this.#told, aggregator: 'sum', values, type, collect: () => {} };
  }

  /** Called by the registry for its text format. */
  getForPromString(): Promise<HistogramMetric> {
    return this.get();
  }
}

function valuesOf(name: string, labels: Record<string, string>, { bounds, counts, sum }: Spread) {
  let under = 0;
  const buckets = counts.map((count, at) => {
    under += count;
    const le = bounds[at]?.toString() ?? '+Inf';
    return { metricName: `${name}_bucket`, labels: { le, ...labels }, value: under };
  });
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: under },
  ];
}
