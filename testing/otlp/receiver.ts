import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { otlpSchema } from './otlp-schema.ts';

interface Attribute {
  key: string;
  value: Record<string, unknown>;
}

/** A span as a receiver reads it. Times are nanoseconds as decimal text. */
export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  status?: { code?: number; message?: string };
  attributes: Record<string, unknown>;
}

export interface ReceivedPoint {
  metric: string;
  attributes: Record<string, unknown>;
  value: number;
  count: number;
  buckets: number[];
  bounds: number[];
}

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (value ?? []) as Json[]; // messages of a known schema

/** A receiver of OTLP over HTTP. Protobuf is decoded by `otlpSchema`. */
export class OtlpReceiver {
  url = '';
  requests: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = [];
  spans: ReceivedSpan[] = [];
  points: ReceivedPoint[] = [];
  /** Resource attributes of the last request. */
  resource: Record<string, unknown> = {};
  /** Answers a request; what it refuses is not kept. */
  reply: (response: ServerResponse) => boolean = (response) => {
    response.end();
    return true;
  };
  readonly #server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const { url = '', headers } = request;
      const raw = Buffer.concat(pieces);
      const body = headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
      this.requests.push({ path: url, headers, body });
      if (this.reply(response)) this.#keep(url, headers['content-type'] === 'application/json', body);
    });
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`; // listening on a TCP port
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  forget(): void {
    this.requests = [];
    this.spans = [];
    this.points = [];
  }

  #keep(url: string, isJson: boolean, body: Buffer): void {
    const message = isJson ? (JSON.parse(body.toString()) as Json) : this.#decoded(url, body);
    for (const { resource, scopeSpans } of list(message['resourceSpans'])) {
      this.resource = attributesOf((resource as Json)['attributes']);
      for (const span of list(scopeSpans).flatMap(({ spans }) => list(spans)))
        this.spans.push({ parentSpanId: '', ...span, attributes: attributesOf(span['attributes']) } as ReceivedSpan);
    }
    for (const { scopeMetrics } of list(message['resourceMetrics']))
      for (const metric of list(scopeMetrics).flatMap(({ metrics }) => list(metrics)))
        this.points.push(...pointsOf(metric));
  }

  #decoded(url: string, body: Buffer): Json {
    const type = otlpSchema.lookupType(url.endsWith('/metrics') ? 'Metrics' : 'Traces');
    const message = type.toObject(type.decode(body), { longs: String, arrays: true });
    return withHexIds(message) as Json;
  }
}

/** Bytes are ids. */
function withHexIds(value: unknown): unknown {
  if (Buffer.isBuffer(value)) return value.toString('hex');
  if (Array.isArray(value)) return value.map(withHexIds);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withHexIds(member)]));
}

function attributesOf(attributes: unknown): Record<string, unknown> {
  return Object.fromEntries(
    ((attributes ?? []) as Attribute[]).map(({ key, value }) => [key, valueOf(value)]), // of the schema
  );
}

function valueOf(value: Record<string, unknown>): unknown {
  if ('intValue' in value) return Number(value['intValue']);
  const { arrayValue } = value;
  if (arrayValue) return list((arrayValue as Json)['values']).map(valueOf);
  return Object.values(value)[0];
}

function pointsOf(metric: Json): ReceivedPoint[] {
  const { dataPoints } = (metric['sum'] ?? metric['gauge'] ?? metric['histogram']) as Json;
  return list(dataPoints).map((point) => ({
    metric: String(metric['name']),
    attributes: attributesOf(point['attributes']),
    value: Number(point['asDouble'] ?? point['sum']),
    count: Number(point['count'] ?? 0),
    buckets: ((point['bucketCounts'] ?? []) as unknown[]).map(Number), // numbers, as text in JSON
    bounds: ((point['explicitBounds'] ?? []) as unknown[]).map(Number),
  }));
}
