import fc from 'fast-check';
import type { JsonSchema } from './fuzz-document.ts';
import { typical } from './fuzz-typical.ts';

/** A placeholder for a value of an earlier reply, filled when the request is sent. */
export interface SeenValue {
  $seen: string;
  /** By `typeof`. */
  type: string;
  pick: number;
  otherwise: unknown;
}

export const isSeen = (value: unknown): value is SeenValue =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, '$seen');

/** Texts that are known to break servers. */
export const hostileTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u202e\ufeff\u200b',
  '\ud800',
  '😀'.repeat(40),
  'x'.repeat(70_000),
  "' or '1'='1",
  "'; drop table users; --",
  '%',
  '_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%_%x',
  '\\',
  '../../../../etc/passwd',
  '..%2f..%2f',
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  'javascript:alert(1)',
  '=1+1',
  '@sum(1)',
  'http://127.0.0.1:1/',
  'http://2130706433:1/',
  'http://[::ffff:7f00:1]:1/',
  'http://hub.invalid/',
  'file:///etc/passwd',
  'a\r\nx-injected: 1',
  '${7*7}{{7*7}}',
  '{"__proto__":{"role":100}}',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[',
  '{"a":1e999}',
  '-created_at,id;drop',
  'NaN',
  '1e308',
  '0x10',
  '１２',
  'undefined',
  'null',
  'true',
];

const hostileNumbers = [
  0,
  -0,
  -1,
  1.5,
  1e308,
  -1e308,
  2 ** 31,
  2 ** 31 - 1,
  -(2 ** 31),
  2 ** 53,
  2 ** 53 - 1,
  2 ** 63,
].concat([-(2 ** 53), 0.1, 1e-300, 5e-324, 99_999_999_999]);

/** Of any type, unrelated to the expected one. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 4, arbitrary: fc.constantFrom(...hostileNumbers) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 2, arbitrary: fc.constantFrom<unknown>(null, true, false, [], {}, [null], [[]], { length: -1 }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<unknown>(nested(20), ['a', 1, null, {}], { toString: 1 }, { id: { id: 1 } }),
  },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
);

/** Nested lists. */
export function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let at = 0; at < depth; at++) value = [value];
  return value;
}

/** Valid and nearly valid values of a schema; `name` selects values of earlier replies. */
export function valueOf(schema: JsonSchema, name = ''): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return fc.oneof(...choices.map((choice) => valueOf(choice, name)));
  switch (schema.type) {
    case 'object': {
      const known = knownOf(name, 'object');
      return fc.oneof(...(known.length === 0 ? [] : [fc.constantFrom(...known)]), objectOf(schema));
    }
    case 'array': {
      const { minItems = 0, items = {} } = schema;
      return fc.array(valueOf(items, name), { minLength: minItems, maxLength: Math.max(minItems, 4) });
    }
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'integer':
    case 'number':
      return seenOr(name, 'number', numberOf(schema));
    case 'string':
      return seenOr(name, 'string', textOf(schema));
    default:
      return hostileValue;
  }
}

const knownOf = (name: string, type: 'number' | 'string' | 'object'): readonly unknown[] =>
  (Object.hasOwn(typical, name) ? (typical[name] ?? []) : []).filter((value) => typeof value === type);

/** Ids are small, so an invented one may exist; other values must be seen or known. */
function seenOr(name: string, type: 'number' | 'string', otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  if (name === '') return otherwise;
  const known = knownOf(name, type);
  return fc.oneof(
    { weight: name === 'id' ? 6 : 2, arbitrary: otherwise },
    {
      weight: 2,
      arbitrary: fc.record({ $seen: fc.constant(name), type: fc.constant(type), pick: fc.nat(), otherwise }),
    },
    ...(known.length === 0 ? [] : [{ weight: name === 'id' ? 1 : 3, arbitrary: fc.constantFrom(...known) }]),
  );
}

/** Few optional members, because each may be the reason for a refusal. */
function objectOf({ properties = {}, required = [], additionalProperties: others }: JsonSchema): fc.Arbitrary<unknown> {
  const nothing = Symbol('nothing');
  const members = Object.entries(properties).map(([name, schema]): [string, fc.Arbitrary<unknown>] => {
    const value = valueOf(schema, name);
    if (required.includes(name)) return [name, value];
    return [name, fc.oneof({ weight: 4, arbitrary: fc.constant(nothing) }, { weight: 1, arbitrary: value })];
  });
  const known = fc
    .record(Object.fromEntries(members))
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== nothing)));
  if (typeof others !== 'object') return known;
  const names = fc.oneof(
    fc.constantFrom('gpt-4o', 'a', 'header-x', '__proto__', 'constructor'),
    fc.string({ maxLength: 8 }),
  );
  const further = fc.dictionary(names, valueOf(others), { maxKeys: 3 });
  return fc.tuple(known, further).map(([some, more]) => ({ ...more, ...some }));
}

/** Mostly small, as ids are. */
function numberOf({ type, minimum = 0, maximum = 2 ** 53 - 1 }: JsonSchema): fc.Arbitrary<number> {
  const low = Math.max(minimum, -(2 ** 53) + 1);
  const high = Math.min(maximum, 2 ** 53 - 1);
  const small = fc.integer({
    min: Math.ceil(low),
    max: Math.max(Math.ceil(low), Math.min(Math.floor(high), low + 12)),
  });
  const edge = fc.constantFrom(low, high);
  const odd = type === 'number' ? [fc.double({ min: low, max: high, noNaN: true })] : [];
  return fc.oneof({ weight: 8, arbitrary: small }, { weight: 2, arbitrary: edge }, ...odd);
}

const knownWords = [
  'default',
  'vip',
  'gpt-4o',
  'gpt-4o-mini',
  'root',
  'simulated',
  'x',
  'hour',
  'user',
  '7',
  '-id',
  'test',
];
const plausible = knownWords.concat([
  '2026-11-01',
  'https://hub.invalid/v1',
  'a@hub.invalid',
  'Asia/Shanghai',
  '{}',
  '[]',
]);

function textOf({ minLength = 0, maxLength = 1000, pattern }: JsonSchema): fc.Arbitrary<string> {
  const fits = (text: string): string => text.padEnd(minLength, 'x').slice(0, maxLength);
  const plain = [
    fc.constantFrom(...plausible).map(fits),
    fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, 20)) }),
  ];
  const edge = fc.constantFrom(minLength, Math.min(maxLength, 5000)).map((length) => 'y'.repeat(length));
  return fc.oneof(...plain, edge, ...(pattern === undefined ? [] : [matching(pattern)]));
}

function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: 80 });
  } catch {
    return fc.constant('x'); // fast-check does not support look-ahead
  }
}
