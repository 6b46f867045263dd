import { setTimeout as sleep } from 'node:timers/promises';
import type { IncomingHttpHeaders } from 'node:http';
import type { NodeState } from '@relay-hub/contract';
import type { Logger } from 'pino';
import { asError } from '#caught-error.ts';
import type { OtlpConfig, OtlpTarget } from '#process/otlp-config.ts';
import { productVersion } from '#version.ts';
import { makeRegistry, type MetricsDeps } from '../registry.ts';
import { type CallRecord, spansOf } from './call-spans.ts';
import { GenAiCounts, metricsOf } from './points.ts';
import { SendError, Sender } from './sender.ts';
import { type TraceContext, traceContextOf } from './trace-context.ts';
import { attributes, metricsRequest, traceRequest } from './wire.ts';

/** Calls that wait for their export; further ones are dropped. */
const MOST_WAITING = 4096;
/** Calls in one request. */
const BATCH = 256;
/** From this number on, waiting calls do not wait for the next round. */
const MANY = 1024;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 60_000;
/** The last exports of a process that stops. */
const STOP_MS = 5000;

type Exported = NonNullable<NodeState['telemetry']>[number];

/** Spans or points that were exported or dropped, and how the last export went. */
class Tally {
  readonly signal: Exported['signal'];
  exported = 0;
  dropped = 0;
  error = '';
  #exportedS = 0;

  constructor(signal: Exported['signal']) {
    this.signal = signal;
  }

  get state(): Exported {
    const { signal, exported, dropped, error } = this;
    return { signal, exported, dropped, error, exported_time: this.#exportedS };
  }

  took(count: number, { rejected, message }: { rejected: number; message: string }, nowMs: number): void {
    const lost = Math.min(count, rejected);
    this.exported += count - lost;
    this.dropped += lost;
    this.#exportedS = Math.floor(nowMs / 1000);
    this.error = lost > 0 ? `the receiver rejected ${lost}: ${message}`.slice(0, 500) : '';
  }
}

interface TelemetryDeps {
  config: OtlpConfig;
  nodeId: string;
  log: Pick<Logger, 'warn'>;
  /** Id of the provider of a channel; undefined: the channel is gone. */
  providerOf(channelId: number): string | undefined;
}

/**
 * Exports traces and metrics to an OpenTelemetry receiver. Calls are queued when they have ended, and never wait for it:
 * when the queue is full, they are dropped and counted.
 */
export class Telemetry {
  readonly #deps: TelemetryDeps;
  readonly #origin: Parameters<typeof traceRequest>[0];
  readonly #traces: { sender: Sender; tally: Tally } | undefined;
  readonly #metrics: { sender: Sender; tally: Tally } | undefined;
  readonly #genAi = new GenAiCounts();
  readonly #startMs = Date.now();
  /** Ends the pause before the next export. */
  readonly #stopping = new AbortController();
  /** Ends an export that takes too long for a process that stops. */
  readonly #stop = new AbortController();
  #registry: ReturnType<typeof makeRegistry> | undefined;
  #waiting: CallRecord[] = [];
  #running: Promise<void> | undefined;
  /** Failed exports of traces in a row, and when the next one may begin. */
  #failures = 0;
  #pausedUntilMs = 0;

  constructor(deps: TelemetryDeps) {
    this.#deps = deps;
    const { config, nodeId } = deps;
    this.#origin = {
      resource: {
        attributes: attributes({
          'service.version': productVersion,
          'service.instance.id': nodeId,
          ...Object.fromEntries(config.resource),
        }),
      },
      scope: { name: 'relay-hub', version: productVersion },
    };
    const open = (target: OtlpTarget | undefined, signal: Exported['signal']) =>
      target && { sender: new Sender(target), tally: new Tally(signal) };
    this.#traces = open(config.traces, 'traces');
    this.#metrics = open(config.metrics, 'metrics');
  }

  /** The signals that are exported. */
  get state(): Exported[] {
    return [this.#traces, this.#metrics].flatMap((signal) => (signal ? signal.tally.state : []));
  }

  get metricsEveryMs(): number | undefined {
    return this.#metrics && this.#deps.config.metricsEveryMs;
  }

  /** The trace of a request. */
  contextOf({ traceparent }: IncomingHttpHeaders): TraceContext {
    return traceContextOf(traceparent, this.#deps.config.sampled);
  }

  /** A call has ended. Costs the caller no time. */
  note(record: CallRecord): void {
    if (this.#metrics) this.#genAi.note(record, this.#deps.providerOf);
    if (!this.#traces || !record.context.isSampled) return;
    if (this.#waiting.length >= MOST_WAITING) {
      this.#traces.tally.dropped += spanCount(record);
      return;
    }
    this.#waiting.push(record);
    if (this.#waiting.length >= MANY && this.#failures === 0) this.exportTraces().catch(() => {}); // the state has it
  }

  /** A call was refused before any channel was tried. */
  refused(
    headers: IncomingHttpHeaders,
    refusal: Pick<CallRecord, 'requestId' | 'endpoint' | 'status' | 'code' | 'userId' | 'tokenId' | 'group' | 'model'>,
  ): void {
    this.note({
      ...refusal,
      context: this.contextOf(headers),
      operation: '',
      dialect: '',
      endMs: Date.now(),
      totalMs: 0,
      outcome: 'refused',
      credits: 0,
      requestedModel: refusal.model,
      last: undefined,
      isStream: false,
      outputLimit: undefined,
      usage: undefined,
      usageSource: 'upstream',
      finishReason: undefined,
      isCached: false,
      attempts: [],
    });
  }

  /** Exports the waiting calls. Rejects if that fails; then it waits for the next time, unless the receiver refuses it. */
  exportTraces(): Promise<void> {
    return (this.#running ??= this.#drain().finally(() => (this.#running = undefined)));
  }

  async #drain(): Promise<void> {
    const { providerOf } = this.#deps;
    if (!this.#traces || this.#waiting.length === 0) return;
    const { sender, tally } = this.#traces;
    await this.#pause();
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      const spans = batch.flatMap((record) => spansOf(record, providerOf));
      try {
        const partial = await sender.send(traceRequest(this.#origin, spans), this.#stop.signal);
        this.#waiting.splice(0, batch.length);
        tally.took(spans.length, partial, Date.now());
        this.#failures = 0;
      } catch (error) {
        tally.error = asError(error).message.slice(0, 500);
        if (error instanceof SendError && error.mayRetry) {
          this.#pauseAfter(error);
          throw error;
        }
        this.#waiting.splice(0, batch.length);
        tally.dropped += spans.length;
        throw error;
      }
    }
  }

  #pauseAfter({ afterMs }: SendError): void {
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    this.#pausedUntilMs = performance.now() + (afterMs ?? longest * (0.5 + Math.random() / 2));
  }

  /** Waits as long as the receiver wants to be left alone, unless the process stops. */
  async #pause(): Promise<void> {
    const ms = this.#pausedUntilMs - performance.now();
    if (this.#stopping.signal.aborted || ms <= 0) return;
    try {
      await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false });
    } catch {
      // the process stops: the last export is made at once
    }
  }

  /** Exports the metrics of this process. Rejects if that fails; the next export has everything again. */
  async exportMetrics(deps: MetricsDeps): Promise<void> {
    if (!this.#metrics) return;
    const { sender, tally } = this.#metrics;
    const period = {
      startTimeUnixNano: `${this.#startMs}000000`,
      timeUnixNano: `${Date.now()}000000`,
    };
    this.#registry ??= makeRegistry(deps);
    const metrics = [...metricsOf(await this.#registry.getMetricsAsJSON(), period), ...this.#genAi.metrics(period)];
    const points = metrics.reduce(
      (sum, { gauge, sum: counted, histogram }) => sum + ((gauge ?? counted ?? histogram)?.dataPoints.length ?? 0),
      0,
    );
    try {
      tally.took(points, await sender.send(metricsRequest(this.#origin, metrics), this.#stop.signal), Date.now());
    } catch (error) {
      tally.error = asError(error).message.slice(0, 500);
      throw error;
    }
  }

  /** The last export, for a bounded time; calls that are left are dropped and counted. `deps`: of the metrics. */
  async close(deps?: MetricsDeps): Promise<void> {
    this.#stopping.abort();
    const timer = setTimeout(() => this.#stop.abort(), STOP_MS);
    const failed = (error: unknown): void => this.#deps.log.warn({ err: error }, 'the last export of telemetry failed');
    await this.#running?.catch(() => {}); // what it leaves is exported below
    await Promise.all([this.exportTraces().catch(failed), deps && this.exportMetrics(deps).catch(failed)]);
    clearTimeout(timer);
    if (this.#traces) for (const record of this.#waiting) this.#traces.tally.dropped += spanCount(record);
    this.#waiting = [];
    await Promise.all([this.#traces?.sender.close(), this.#metrics?.sender.close()]);
  }
}

const spanCount = ({ attempts }: CallRecord): number => 1 + attempts.length;
