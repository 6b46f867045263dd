import { statfsSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  AggregatorRegistry,
  type Aggregator,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client';
import type { BaseDeps } from '#base-deps.ts';
import type { BodyMemory } from '#http/limits/body-memory.ts';
import type { Connections } from '#http/limits/connections.ts';
import type { OutOfFiles } from '#process/out-of-files.ts';
import type { Book } from '#quota/book.ts';
import type { Meter } from './meter.ts';
import { SpreadMetric } from './spread-metric.ts';

/** Sources of the metrics. */
export interface MetricsDeps extends Pick<BaseDeps, 'startedTime' | 'config'> {
  meter: Meter;
  book: Pick<Book, 'openCalls' | 'waiting' | 'isWritable'>;
  storage: { damage: { reason: string | undefined } };
  connections: Pick<Connections, 'open' | 'refused' | 'closed'>;
  bodies: Pick<BodyMemory, 'used' | 'limit' | 'refused'>;
  outOfFiles: Pick<OutOfFiles, 'counts'>;
  live: { restingChannels(now: number): number };
  telemetry: { state: { signal: string; exported: number; dropped: number }[] } | undefined;
}

type Sample = [labels: Record<string, string | number>, value: number];

/** All metrics, filled from the counters at each scrape. Labels never hold names of models, users or channels. */
export function makeRegistry(deps: MetricsDeps): Registry {
  const registry = new Registry();
  const counter = (name: string, help: string, labelNames: string[], read: () => Sample[]): void => {
    const collect = function collect(this: Counter) {
      this.reset();
      for (const [labels, value] of read()) this.inc(labels, value);
    };
    registry.registerMetric(new Counter({ name, help, labelNames, registers: [], collect }));
  };
  const gauge: TellState = (name, help, labelNames, read, aggregator = 'sum') => {
    const collect = function collect(this: Gauge) {
      for (const [labels, value] of read()) this.set(labels, value);
    };
    registry.registerMetric(new Gauge({ name, help, labelNames, registers: [], collect, aggregator }));
  };
  tellCalls(deps, registry, counter);
  tellBooks(deps, registry, counter, gauge);
  tellCallers(deps, counter, gauge);
  tellStorage(deps, gauge);
  counter(
    'relay_hub_telemetry_items_total',
    'Spans and metric points for OpenTelemetry, exported or dropped',
    ['signal', 'result'],
    () =>
      (deps.telemetry?.state ?? []).flatMap(({ signal, exported, dropped }): Sample[] => [
        [{ signal, result: 'exported' }, exported],
        [{ signal, result: 'dropped' }, dropped],
      ]),
  );
  tellProcess(deps, gauge);
  return registry;
}

type Tell = (name: string, help: string, labelNames: string[], read: () => Sample[]) => void;
/** `aggregator`: what of several workers is reported; default: their sum. */
type TellState = (...args: [...Parameters<Tell>, aggregator?: Aggregator]) => void;

/** The metrics of one process, in the form that other processes receive. */
export type MetricsList = MetricObjectWithValues<MetricValue<string>>[];

/** The metrics of several processes in one: sums, unless a gauge says otherwise. */
export const sumOf = (lists: readonly MetricsList[]): Registry => AggregatorRegistry.aggregate([...lists]);

/** Counters and histograms, which count after their process has ended. */
export const countsOf = (metrics: MetricsList): MetricsList =>
  metrics.filter(({ type }) => ['counter', 'histogram'].includes(String(type)));

function tellCalls({ meter }: MetricsDeps, registry: Registry, counter: Tell): void {
  const labels = ['endpoint', 'outcome', 'status', 'channel_type'];
  counter('relay_hub_calls_total', 'Calls that ended; channel_type 0: refused before a channel was asked', labels, () =>
    [...meter.endpoints].flatMap(([endpoint, { calls }]) =>
      [...calls.values()].map(({ outcome, status, channelType, count }): Sample => [
        { endpoint, outcome, status, channel_type: channelType },
        count,
      ]),
    ),
  );
  counter('relay_hub_attempts_total', 'Requests to upstreams, by what they came to', ['result', 'channel_type'], () =>
    [...meter.attempts].flatMap(([result, byType]) =>
      [...byType.values()].map(({ channelType, count }): Sample => [{ result, channel_type: channelType }, count]),
    ),
  );
  const spreads = (name: string, help: string, which: 'firstByte' | 'total'): void => {
    const read = () =>
      [...meter.endpoints].map(([endpoint, counts]) => ({ labels: { endpoint }, spread: counts[which] }));
    registry.registerMetric(new SpreadMetric(name, help, read));
  };
  spreads('relay_hub_first_byte_seconds', 'From the start of a call to the first byte of its answer', 'firstByte');
  spreads('relay_hub_call_seconds', 'From the start of a call to its settlement', 'total');
  counter('relay_hub_tokens_total', 'Tokens of calls that were charged', ['kind'], () =>
    Object.entries(meter.tokens).map(([kind, tokens]): Sample => [{ kind }, tokens]),
  );
  counter('relay_hub_usage_doubts_total', 'Calls whose reported usage was implausible or unusual', ['mark'], () =>
    Object.entries(meter.doubts).map(([mark, count]): Sample => [{ mark }, count]),
  );
  counter('relay_hub_credits_total', 'Credits that calls cost', [], () => [[{}, meter.credits]]);
}

function tellBooks({ meter, book }: MetricsDeps, registry: Registry, counter: Tell, gauge: TellState): void {
  gauge('relay_hub_open_calls', 'Calls that are admitted and not settled', [], () => [[{}, book.openCalls]]);
  gauge('relay_hub_settlements_waiting', 'Settlements and leases that wait for the database', [], () => [
    [{}, book.waiting],
  ]);
  registry.registerMetric(
    new SpreadMetric('relay_hub_database_batch_seconds', 'How long the books’ transactions take', () => [
      { labels: {}, spread: meter.batches },
    ]),
  );
  counter('relay_hub_database_batches_failed_total', 'The books’ transactions that failed', [], () => [
    [{}, meter.failedBatches],
  ]);
}

function tellCallers({ connections, bodies, outOfFiles }: MetricsDeps, counter: Tell, gauge: TellState): void {
  const byReason = (counts: ReadonlyMap<string, number>, label = 'reason') =>
    [...counts].map(([reason, count]): Sample => [{ [label]: reason }, count]);
  gauge('relay_hub_connections', 'Connections of callers that are open', [], () => [[{}, connections.open]]);
  counter('relay_hub_connections_refused_total', 'Connections that were refused', ['reason'], () =>
    byReason(connections.refused),
  );
  counter('relay_hub_connections_closed_total', 'Connections that were closed for being slow', ['reason'], () =>
    byReason(connections.closed),
  );
  gauge('relay_hub_body_bytes', 'Bytes of bodies that are in memory', [], () => [[{}, bodies.used]]);
  gauge('relay_hub_body_bytes_limit', 'How many there may be', [], () => [[{}, bodies.limit]]);
  counter('relay_hub_bodies_refused_total', 'Bodies that there was no room for', [], () => [[{}, bodies.refused]]);
  counter('relay_hub_out_of_files_total', 'How often there was no file descriptor left', ['where'], () =>
    byReason(outOfFiles.counts, 'where'),
  );
}

function tellStorage({ config, book, storage }: MetricsDeps, gauge: TellState): void {
  gauge(
    'relay_hub_storage_writable',
    'Whether calls can be recorded: 0 refuses all of them',
    [],
    () => [[{}, Number(book.isWritable())]],
    'min',
  );
  gauge(
    'relay_hub_database_damaged',
    'Whether the database has reported damage',
    [],
    () => [[{}, Number(storage.damage.reason !== undefined)]],
    'max',
  );
  const disk = (): { free: number; size: number } | undefined => {
    try {
      const { bavail, blocks, bsize } = statfsSync(config.dataDir);
      return { free: bavail * bsize, size: blocks * bsize };
    } catch {
      // Without the folder there are no numbers; storage_writable reports it.
      return undefined;
    }
  };
  gauge(
    'relay_hub_disk_bytes',
    'Disk of the data folder: free for this process, and in total',
    ['kind'],
    () => Object.entries(disk() ?? {}).map(([kind, bytes]): Sample => [{ kind }, bytes]),
    'first',
  );
}

const NANOSECONDS = 1e-9;

function tellProcess({ live, startedTime }: MetricsDeps, gauge: TellState): void {
  gauge(
    'relay_hub_frozen_channels',
    'Channels that rest after failures, for one of their models or all',
    [],
    () => [[{}, live.restingChannels(Date.now())]],
    'max',
  );
  // Monitoring costs a timer: it starts with the first scrape and covers the time since the last one.
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  gauge(
    'relay_hub_event_loop_delay_seconds',
    'Delay of the main thread since the last reading',
    ['quantile'],
    () => {
      const at = (quantile: string, ns: number): Sample => [{ quantile }, Number.isFinite(ns) ? ns * NANOSECONDS : 0];
      const none = delay.count === 0;
      const samples = [
        at('0.5', none ? 0 : delay.percentile(50)),
        at('0.99', none ? 0 : delay.percentile(99)),
        at('1', none ? 0 : delay.max),
      ];
      delay.reset();
      return samples;
    },
    'max',
  );
  gauge('relay_hub_memory_bytes', 'Memory of the process, or of all workers', ['kind'], () => {
    const { rss, heapUsed, external } = process.memoryUsage();
    return [
      [{ kind: 'resident' }, rss],
      [{ kind: 'heap_used' }, heapUsed],
      [{ kind: 'external' }, external],
    ];
  });
  gauge(
    'relay_hub_cpu_seconds',
    'Processor time of the process since its start, or of the workers that run',
    ['mode'],
    () => {
      const { user, system } = process.cpuUsage();
      return [
        [{ mode: 'user' }, user / 1e6],
        [{ mode: 'system' }, system / 1e6],
      ];
    },
  );
  gauge('relay_hub_processes', 'Server processes of this node that answered, see WORKERS', [], () => [[{}, 1]]);
  gauge(
    'relay_hub_start_time_seconds',
    'When the process started, in Unix seconds',
    [],
    () => [[{}, startedTime]],
    'min',
  );
}
