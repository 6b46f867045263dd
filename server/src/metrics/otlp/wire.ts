/** Messages of OTLP in the form of their JSON encoding, and their protobuf encoding. */

export type AnyValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: AnyValue[] } };

export interface KeyValue {
  key: string;
  value: AnyValue;
}

/** Whole numbers from 0 are sent as integers; `{ doubleValue }` keeps the type of a fraction that happens to be whole. */
export type AttributeValue = string | number | boolean | readonly string[] | { doubleValue: number };

export const attributes = (values: Record<string, AttributeValue | undefined>): KeyValue[] =>
  Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : { key, value: anyValue(value) }));

function anyValue(value: AttributeValue): AnyValue {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return Number.isSafeInteger(value) && value >= 0 ? { intValue: String(value) } : { doubleValue: value };
  if ('doubleValue' in value) return value;
  return { arrayValue: { values: value.map((text) => ({ stringValue: text })) } };
}

/** Ids are hex, times nanoseconds as decimal text. */
export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** 2: server, 3: client. */
  kind: 2 | 3;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: KeyValue[];
  /** Code 2: an error. */
  status: { code?: 2; message?: string };
}

interface Point {
  attributes: KeyValue[];
  startTimeUnixNano: string;
  timeUnixNano: string;
}

export interface NumberPoint extends Point {
  asDouble: number;
}

export interface HistogramPoint extends Point {
  count: string;
  sum: number;
  bucketCounts: string[];
  explicitBounds: number[];
}

/** Temporality 2: cumulative. */
export interface Metric {
  name: string;
  description: string;
  unit: string;
  gauge?: { dataPoints: NumberPoint[] };
  sum?: { dataPoints: NumberPoint[]; aggregationTemporality: 2; isMonotonic: true };
  histogram?: { dataPoints: HistogramPoint[]; aggregationTemporality: 2 };
}

interface Origin {
  resource: { attributes: KeyValue[] };
  scope: { name: string; version: string };
}

export const traceRequest = ({ resource, scope }: Origin, spans: readonly OtlpSpan[]) => ({
  resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }],
});

export const metricsRequest = ({ resource, scope }: Origin, metrics: readonly Metric[]) => ({
  resourceMetrics: [{ resource, scopeMetrics: [{ scope, metrics }] }],
});

type Kind = 'string' | 'bool' | 'enum' | 'int64' | 'double' | 'fixed64' | 'hex';
/** Number of the field and its type; `packed`: a list of numbers. */
type Field = readonly [number: number, type: Kind | Schema, packed?: 'packed'];
/** The fields of a message, from the last to the first. */
type Schema = (readonly [name: string, field: Field])[];

const fields = (named: Record<string, Field>): Schema => Object.entries(named).toReversed();

const anyOf = fields({
  stringValue: [1, 'string'],
  boolValue: [2, 'bool'],
  intValue: [3, 'int64'],
  doubleValue: [4, 'double'],
});
anyOf.push(['arrayValue', [5, fields({ values: [1, anyOf] })]]);
const attribute = fields({ key: [1, 'string'], value: [2, anyOf] });
const resourceFields = fields({ attributes: [1, attribute] });
const scopeFields = fields({ name: [1, 'string'], version: [2, 'string'] });
const spanFields = fields({
  traceId: [1, 'hex'],
  spanId: [2, 'hex'],
  parentSpanId: [4, 'hex'],
  name: [5, 'string'],
  kind: [6, 'enum'],
  startTimeUnixNano: [7, 'fixed64'],
  endTimeUnixNano: [8, 'fixed64'],
  attributes: [9, attribute],
  status: [15, fields({ message: [2, 'string'], code: [3, 'enum'] })],
});
const numberPoint = fields({
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  asDouble: [4, 'double'],
  attributes: [7, attribute],
});
const histogramPoint = fields({
  startTimeUnixNano: [2, 'fixed64'],
  timeUnixNano: [3, 'fixed64'],
  count: [4, 'fixed64'],
  sum: [5, 'double'],
  bucketCounts: [6, 'fixed64', 'packed'],
  explicitBounds: [7, 'double', 'packed'],
  attributes: [9, attribute],
});
const metricFields = fields({
  name: [1, 'string'],
  description: [2, 'string'],
  unit: [3, 'string'],
  gauge: [5, fields({ dataPoints: [1, numberPoint] })],
  sum: [7, fields({ dataPoints: [1, numberPoint], aggregationTemporality: [2, 'enum'], isMonotonic: [3, 'bool'] })],
  histogram: [9, fields({ dataPoints: [1, histogramPoint], aggregationTemporality: [2, 'enum'] })],
});
const requestFields = fields({
  resourceSpans: [
    1,
    fields({
      resource: [1, resourceFields],
      scopeSpans: [2, fields({ scope: [1, scopeFields], spans: [2, spanFields] })],
    }),
  ],
  resourceMetrics: [
    1,
    fields({
      resource: [1, resourceFields],
      scopeMetrics: [2, fields({ scope: [1, scopeFields], metrics: [2, metricFields] })],
    }),
  ],
});

/** The protobuf encoding of a request. */
export const protobufOf = (message: object): Buffer => new Writer().write(requestFields, message).bytes();

/** Writes from the end to the start, so that the length of a message is known when its head is written. */
class Writer {
  #buffer = Buffer.allocUnsafe(64 * 1024);
  #size = 0;

  bytes(): Buffer {
    return this.#buffer.subarray(this.#buffer.length - this.#size);
  }

  write(schema: Schema, message: object): this {
    const members = message as Readonly<Record<string, unknown>>;
    for (const [name, field] of schema) {
      const value = members[name];
      if (value === undefined) continue;
      if (!Array.isArray(value)) this.#field(field, value);
      else if (field[2]) this.#packed(field, value);
      else for (const item of value.toReversed()) this.#field(field, item);
    }
    return this;
  }

  #packed([number, type]: Field, values: readonly unknown[]): void {
    const before = this.#size;
    for (const value of values.toReversed()) this.#value(type as Kind, value); // only numbers are packed
    this.#head(number, before);
  }

  #field([number, type]: Field, value: unknown): void {
    const before = this.#size;
    if (typeof type === 'object') {
      this.write(type, value as object); // a member of a typed message
      return this.#head(number, before);
    }
    this.#value(type, value);
    if (type === 'string' || type === 'hex') return this.#head(number, before);
    this.#varint(number * 8 + (type === 'double' || type === 'fixed64' ? 1 : 0));
  }

  #head(number: number, before: number): void {
    this.#varint(this.#size - before);
    this.#varint(number * 8 + 2);
  }

  #value(type: Kind, value: unknown): void {
    if (type === 'string' || type === 'hex') {
      const encoding = type === 'hex' ? 'hex' : 'utf8';
      const text = String(value);
      const length = Buffer.byteLength(text, encoding);
      const at = this.#room(length);
      this.#buffer.write(text, at, length, encoding);
    } else if (type === 'double') {
      const at = this.#room(8);
      this.#buffer.writeDoubleLE(Number(value), at);
    } else if (type === 'fixed64') {
      const at = this.#room(8);
      this.#buffer.writeBigUInt64LE(BigInt(String(value)), at);
    } else this.#varint(Number(value));
  }

  /** Whole numbers from 0. */
  #varint(value: number): void {
    let length = 1;
    for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) length++;
    let at = this.#room(length);
    let rest = value;
    for (; rest >= 128; rest = Math.floor(rest / 128)) this.#buffer[at++] = (rest % 128) + 128;
    this.#buffer[at] = rest;
  }

  /** Reserves bytes for the next write; returns their offset. */
  #room(length: number): number {
    if (this.#buffer.length - this.#size < length) {
      const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#size + length));
      this.bytes().copy(larger, larger.length - this.#size);
      this.#buffer = larger;
    }
    this.#size += length;
    return this.#buffer.length - this.#size;
  }
}

/** The part that a receiver did not take of a request that it accepted. */
export interface PartialSuccess {
  rejected: number;
  message: string;
}

/** Reads the reply to a request; a reply that is not understood rejects nothing. */
export function partialSuccess(body: Buffer, isJson: boolean): PartialSuccess {
  try {
    return isJson ? partialInJson(body) : partialInProtobuf(body);
  } catch {
    return { rejected: 0, message: '' }; // some receivers answer with a text
  }
}

function partialInJson(body: Buffer): PartialSuccess {
  const { partialSuccess: partial = {} } = JSON.parse(body.toString('utf8')) as {
    partialSuccess?: { rejectedSpans?: unknown; rejectedDataPoints?: unknown; errorMessage?: unknown };
  };
  const rejected = Number(partial.rejectedSpans ?? partial.rejectedDataPoints ?? 0);
  const message = typeof partial.errorMessage === 'string' ? partial.errorMessage : '';
  return { rejected: Number.isSafeInteger(rejected) && rejected > 0 ? rejected : 0, message };
}

function partialInProtobuf(body: Buffer): PartialSuccess {
  const partial = fieldsOf(body).find(({ number }) => number === 1)?.bytes;
  const members = partial ? fieldsOf(partial) : [];
  return {
    rejected: members.find(({ number }) => number === 1)?.value ?? 0,
    message: members.find(({ number }) => number === 2)?.bytes?.toString('utf8') ?? '',
  };
}

/** The fields of a message with numbers and bytes, which is all that replies have. Throws for others. */
function fieldsOf(body: Buffer): { number: number; value?: number; bytes?: Buffer }[] {
  const found: ReturnType<typeof fieldsOf> = [];
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let scale = 1; scale < 2 ** 63; scale *= 128) {
      const byte = body[at++];
      if (byte === undefined) throw new RangeError('a varint is cut off');
      value += (byte & 127) * scale;
      if (byte < 128) return value;
    }
    throw new RangeError('a varint is too long');
  };
  while (at < body.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    if (tag % 8 === 0) found.push({ number, value: varint() });
    else if (tag % 8 === 2) {
      const length = varint();
      if (length > body.length - at) throw new RangeError('a field is cut off');
      found.push({ number, bytes: body.subarray(at, (at += length)) });
    } else throw new RangeError('a field of an unknown type');
  }
  return found;
}
