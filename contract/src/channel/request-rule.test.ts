import { expect, test } from 'vitest';
import { requestRules } from './request-rule.ts';

const valid = { action: 'set', field: 'top_k', value: 1 };
const times = (count: number, one: object) => Array.from({ length: count }, () => one);
const nested = (levels: number): object => (levels === 0 ? {} : { a: nested(levels - 1) });

const reserved = (
  'model Model stream stream_options stream_options.include_usage background previous_response_id conversation ' +
  'api_base extra_body.models models metadata.api_key'
).split(' ');
const paths = [
  ...'__proto__ a.__proto__.b constructor.prototype a..b .a a.'.split(' '),
  '',
  Array<string>(11).fill('a').join('.'),
  'x'.repeat(201),
];
const headers = [
  ...'Authorization x-api-key api-key x-goog-api-key cookie x-auth-token proxy-authorization Host'.split(' '),
  ...'Content-Length content-type Transfer-Encoding connection keep-alive te trailer upgrade expect'.split(' '),
  ...'accept-encoding x-amz-date X-Forwarded-For forwarded'.split(' '),
  'a b',
  'a\r\nb',
  'ä',
];
const header = { target: 'header', field: 'x-a', value: 'x' };

const refused: [why: string, rule: object, at: string][] = [
  ...reserved.map((field): [string, object, string] => [`the field ${field}`, { field }, 'field']),
  ...paths.map((field): [string, object, string] => [`the path ${field.slice(0, 40)}`, { field }, 'field']),
  ...headers.map((field): [string, object, string] => [`the header ${field}`, { ...header, field }, 'field']),
  ['no action', { action: undefined }, 'action'],
  ['a header with a line break', { ...header, value: 'a\r\nb: c' }, 'value'],
  ['a header with a number', { ...header, value: 1 }, 'value'],
  ['a header that is too long', { ...header, value: 'x'.repeat(2001) }, 'value'],
  ['no value', { value: undefined }, 'value'],
  ['a large value', { value: 'x'.repeat(8001) }, 'value'],
  ['a value of many parts', { value: Array<number>(2001).fill(1) }, 'value'],
  ['a deep value', { value: nested(20) }, 'value'],
  ['the name of a prototype in a value', { value: JSON.parse('{"a":{"__proto__":1}}') as object }, 'value'],
  ['a routing field in a value', { field: 'metadata', value: { api_base: 'x' } }, 'value'],
  ['renaming to nothing', { action: 'rename' }, 'to'],
  ['renaming to itself', { action: 'rename', to: 'top_k' }, 'to'],
  ['renaming to the model', { action: 'rename', to: 'model' }, 'to'],
  ['renaming to a prototype', { action: 'rename', to: 'a.__proto__' }, 'to'],
  ['renaming to a credential', { ...header, action: 'rename', to: 'x-api-key' }, 'to'],
  ['all models', { models: ['*'] }, 'models.0'],
  ['an endpoint that is not there', { endpoints: ['raw'] }, 'endpoints.0'],
  ['a condition without a value', { when: [{ field: 'a', test: 'is' }] }, 'when.0.value'],
  ['a condition on a prototype', { when: [{ field: '__proto__', test: 'present' }] }, 'when.0.field'],
  ['too many conditions', { when: times(9, { field: 'a', test: 'present' }) }, 'when'],
];

test.each(refused)('a rule with %s is refused, and the place is named', (_, change, at) => {
  const { error } = requestRules.safeParse([{ ...valid, ...change }]);
  expect(error?.issues[0]?.path.join('.')).toBe(`0.${at}`);
});

test('unknown members, too many rules and too large ones are refused', () => {
  for (const rules of [[{ ...valid, force: true }], times(51, valid), times(10, { ...valid, value: 'x'.repeat(7000) })])
    expect(requestRules.safeParse(rules).success).toBe(false);
}); // prettier-ignore

test.each([
  { field: 'generationConfig.topK' },
  { field: 'metadata.models' },
  { field: 'a\\.b.c' },
  { field: 'messages.0.name' },
  { field: 'service_tier', value: null },
  { action: 'delete', field: 'user', value: undefined },
  { ...header, field: 'anthropic-beta' },
  { ...header, field: 'HTTP-Referer', value: '' },
])('%j is allowed', (change) => expect(requestRules.safeParse([{ ...valid, ...change }]).error).toBeUndefined());
