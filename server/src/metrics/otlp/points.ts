import type { MetricsList } from '../registry.ts';
import { Spread } from '../spread.ts';
import { type CallRecord, operationName, providerName } from './call-spans.ts';
import { attributes, type HistogramPoint, type KeyValue, type Metric, type NumberPoint } from './wire.ts';
import { inputTokens } from '@relay-hub/contract';

interface Period {
  startTimeUnixNano: string;
  timeUnixNano: string;
}

/** Buckets of the conventions, with three more for long streams. */
const SECONDS = Array.from({ length: 17 }, (_, power) => 2 ** power / 100);
const TOKENS = Array.from({ length: 14 }, (_, power) => 4 ** power);

/** Channels can name any number of models. */
const MOST_SERIES = 1000;

interface Series {
  labels: Record<string, string>;
  spread: Spread;
}

/** Histograms of the GenAI conventions: duration of attempts, and tokens of calls. */
export class GenAiCounts {
  readonly #durations = new Map<string, Series>();
  readonly #tokens = new Map<string, Series>();

  note(record: CallRecord, providerOf: (channelId: number) => string | undefined): void {
    const operation = operationName(record);
    for (const [at, attempt] of record.attempts.entries()) {
      const isLast = at === record.attempts.length - 1;
      const id = isLast && record.last ? record.last.provider : providerOf(attempt.channel_id);
      const labels = { operation, provider: providerName(id), model: attempt.model ?? record.model };
      const error = attempt.result === 'ok' || (isLast && record.outcome === 'client_gone') ? '' : attempt.result;
      spreadOf(this.#durations, SECONDS, labels, ['error.type', error]).add(attempt.ms / 1000);
      if (!isLast || !record.usage) continue;
      const counts = { input: inputTokens(record.usage), output: record.usage.output };
      for (const [type, count] of Object.entries(counts))
        if (count > 0) spreadOf(this.#tokens, TOKENS, labels, ['gen_ai.token.type', type]).add(count);
    }
  }

  metrics(period: Period): Metric[] {
    const histogram = (name: string, unit: string, description: string, series: Map<string, Series>): Metric => ({
      name,
      unit,
      description,
      histogram: {
        aggregationTemporality: 2,
        dataPoints: [...series.values()].map(({ labels, spread }) => spreadPoint(attributes(labels), spread, period)),
      },
    });
    return [
      histogram('gen_ai.client.operation.duration', 's', 'Duration of attempts at providers', this.#durations),
      histogram('gen_ai.client.token.usage', '{token}', 'Tokens of calls', this.#tokens),
    ].filter(({ histogram: told }) => told?.dataPoints.length);
  }
}

function spreadOf(
  series: Map<string, Series>,
  bounds: readonly number[],
  { operation, provider, model }: { operation: string; provider: string; model: string },
  [name, value]: readonly [name: string, value: string],
): Spread {
  const key = `${operation}\n${provider}\n${model}\n${value}`;
  const known = series.get(key);
  if (known) return known.spread;
  if (series.size >= MOST_SERIES && model !== 'other')
    return spreadOf(series, bounds, { operation, provider, model: 'other' }, [name, value]);
  const labels = {
    'gen_ai.operation.name': operation,
    'gen_ai.provider.name': provider,
    'gen_ai.request.model': model,
    ...(value !== '' && { [name]: value }),
  };
  const spread = new Spread(bounds);
  series.set(key, { labels, spread });
  return spread;
}

function spreadPoint(labels: KeyValue[], { bounds, counts, sum }: Spread, period: Period): HistogramPoint {
  return {
    ...period,
    attributes: labels,
    count: String(counts.reduce((total, count) => total + count, 0)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: [...bounds],
  };
}

/** The metrics of `/metrics`, under the same names. */
export function metricsOf(lists: MetricsList, period: Period): Metric[] {
  return lists.map(({ name, help, type, values }): Metric => {
    const about = { name, description: help, unit: '' };
    const kind = String(type);
    if (kind === 'histogram') {
      const dataPoints = histogramPoints(values, period);
      return { ...about, histogram: { dataPoints, aggregationTemporality: 2 } };
    }
    const dataPoints = values.map(({ labels, value }): NumberPoint => ({
      ...period,
      attributes: attributes(textsOf(labels)),
      asDouble: value,
    }));
    return kind === 'counter'
      ? { ...about, sum: { dataPoints, aggregationTemporality: 2, isMonotonic: true } }
      : { ...about, gauge: { dataPoints } };
  });
}

const textsOf = (labels: Partial<Record<string, string | number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, String(value)]));

/** prom-client lists cumulative buckets, sum and count of a histogram as separate values. */
function histogramPoints(values: MetricsList[number]['values'], period: Period): HistogramPoint[] {
  const points = new Map<string, { point: HistogramPoint; under: number }>();
  for (const { labels, value, metricName = '' } of values as ((typeof values)[number] & { metricName?: string })[]) {
    const { le, ...others } = labels as Record<string, string | number>;
    const key = JSON.stringify(others);
    let known = points.get(key);
    if (!known) {
      const named = attributes(textsOf(others));
      const point = { ...period, attributes: named, count: '0', sum: 0, bucketCounts: [], explicitBounds: [] };
      points.set(key, (known = { point, under: 0 }));
    }
    const { point } = known;
    if (metricName.endsWith('_sum')) point.sum = value;
    else if (metricName.endsWith('_count')) point.count = String(value);
    else if (le !== undefined) {
      point.bucketCounts.push(String(value - known.under));
      known.under = value;
      if (le !== '+Inf') point.explicitBounds.push(Number(le));
    }
  }
  return [...points.values()].map(({ point }) => point);
}
