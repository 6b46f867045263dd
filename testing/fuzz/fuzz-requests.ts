import fc from 'fast-check';
import type { FuzzOperation, JsonSchema } from './fuzz-document.ts';
import { hostileTexts, hostileValue, nested, valueOf } from './fuzz-values.ts';

export const actors = ['nobody', 'user', 'admin', 'root'] as const;
export type Actor = (typeof actors)[number];

/** A generated request with placeholders for values of earlier replies. */
export interface DrawnRequest {
  actor: Actor;
  params: Record<string, unknown>;
  query: [string, unknown][];
  /** Sent as JSON; a text in `raw` is sent unchanged. */
  body: unknown;
  raw: string | undefined;
  headers: Record<string, string>;
}

const rawBodies = [
  '',
  '{',
  'null',
  '[]',
  '"x"',
  '1',
  '{"a":}',
  '{"__proto__":{"role":100,"quota":1}}',
  '{"constructor":{"prototype":{"role":100}}}',
  `{"id":1,"id":2}`,
  '{"id":1,"ID":2,"ſtatus":1,"Quota":1000000,"ro\\u006ce":100,"Role":100}',
  '['.repeat(100_000),
  JSON.stringify(nested(2000)),
  `{"key":${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`,
  `{"name":"${'x'.repeat(1_200_000)}"}`,
  `{"name":"\\ud800","key":"\\u0000"}`,
  '{"quota":1e400,"id":1e400}',
  `[${'0,'.repeat(200_000)}0]`,
];

const oddHeaders: Record<string, string>[] = [
  { 'content-type': 'text/plain' },
  { 'content-type': 'application/x-www-form-urlencoded' },
  { 'content-type': 'application/json; charset=utf-16' },
  { 'content-type': 'multipart/form-data; boundary=x' },
  { 'content-type': '' },
  { 'sec-fetch-site': 'cross-site' },
  { origin: 'https://evil.invalid' },
  { 'accept-language': '*;q=9,xx-$$,zh'.repeat(30) },
  { authorization: 'Bearer 00000000000000000000000000000000' },
  { authorization: `Bearer ${'a'.repeat(4000)}` },
  { cookie: 'session=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA; __proto__=1' },
  { host: 'evil.invalid' },
  { 'x-forwarded-host': 'evil.invalid', 'x-forwarded-proto': 'https' },
  { 'content-encoding': 'gzip' },
  { expect: 'something' },
  { 'x-http-method-override': 'DELETE' },
  { range: 'bytes=0-18446744073709551615' },
];

/** Generates requests to an operation, mostly by an authorised role. */
export function requestsTo(operation: FuzzOperation): fc.Arbitrary<DrawnRequest> {
  const { parameters, body } = operation;
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  return fc.record({
    actor: fc.constantFrom<Actor>('nobody', 'user', 'user', 'admin', 'admin', 'admin', 'root', 'root', 'root', 'root'),
    params: fc.record(Object.fromEntries(inPath.map(({ name, schema }) => [name, mostly(valueOf(schema, name), 12)]))),
    query: queryOf(inQuery),
    body: body === undefined ? fc.constant(undefined) : bodyOf(body),
    raw: seldom(fc.constantFrom(...rawBodies), body === undefined ? 40 : 14),
    headers: fc.oneof(
      { weight: 14, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom(...oddHeaders) },
    ),
  });
}

/** A valid value in most cases. */
const mostly = (valid: fc.Arbitrary<unknown>, of: number): fc.Arbitrary<unknown> =>
  fc.oneof({ weight: of - 1, arbitrary: valid }, { weight: 1, arbitrary: hostileValue });

const seldom = <T>(arbitrary: fc.Arbitrary<T>, of: number): fc.Arbitrary<T | undefined> =>
  fc.oneof({ weight: of - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });

function queryOf(parameters: FuzzOperation['parameters']): fc.Arbitrary<[string, unknown][]> {
  const one = ({ name, schema, required }: (typeof parameters)[number]) => {
    const entry = mostly(valueOf(schema, name), 8).map((value): [string, unknown] => [name, value]);
    return required ? fc.option(entry, { freq: 20, nil: undefined }) : seldom(entry, 5);
  };
  const odd: fc.Arbitrary<[string, unknown] | undefined> = seldom(
    fc.tuple(
      fc.constantFrom('__proto__', 'constructor[prototype]', 'page', 'page[]', 'order', 'size', '%zz', '\0', 'a.b'),
      fc.constantFrom<unknown>(...hostileTexts, 'x'),
    ),
    12,
  );
  return fc
    .tuple(...parameters.map(one), odd)
    .map((entries) => entries.filter((entry) => entry !== undefined))
    .chain((entries) =>
      seldom(fc.constant<[string, unknown][]>([...entries, ...entries.slice(0, 1)]), 12).map(
        (twice) => twice ?? [...entries],
      ),
    );
}

/** A valid body, one with a replaced member, or one with extra members. */
function bodyOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const valid = valueOf(schema);
  const names = [...Object.keys(schema.properties ?? {}), '__proto__', 'role', 'id', 'quota', 'user_id', 'status'];
  const turned = fc
    .tuple(valid, fc.constantFrom(...names), hostileValue)
    .map(([body, name, value]) => (isRecord(body) ? withMember(body, name, value) : value));
  const short = fc
    .tuple(valid, fc.constantFrom(...names))
    .map(([body, name]) => (isRecord(body) ? withMember(body, name, undefined) : {}));
  return fc.oneof(
    { weight: 10, arbitrary: valid },
    { weight: 6, arbitrary: turned },
    { weight: 1, arbitrary: short },
    { weight: 1, arbitrary: hostileValue },
  );
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Assigning to `__proto__` would not create a member. */
function withMember(body: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  const copy = { ...body };
  Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
  return copy;
}
