import { expect, test } from 'vitest';
import type { Option } from '@relay-hub/contract';
import { problemOf, isSameValue, spread } from './setting-values.ts';

const option = (value: string, secret = false): Option => ({
  key: 'K',
  value,
  default_value: '',
  secret,
  is_set: true,
  changed_time: 0,
  changed_by: '',
});

test('a text equal to the stored value is no change', () => {
  expect(isSameValue('text', 'a', option('a'))).toBe(true);
  expect(isSameValue('text', 'a ', option('a'))).toBe(false);
  expect(isSameValue('json', '{ "a": 1 }', option('{"a":1}'))).toBe(true);
  expect(isSameValue('json', '{"a":2}', option('{"a":1}'))).toBe(false);
  expect(isSameValue('json', '{', option('{'))).toBe(true);
  expect(isSameValue('json', '[', option('{'))).toBe(false);
  expect(isSameValue('secret', '', option('', true))).toBe(true);
  expect(isSameValue('secret', 'new', option('', true))).toBe(false);
});

test('obvious mistakes are reported before sending', () => {
  const number = { key: 'RetryTimes', kind: 'number', min: 0 } as const;
  expect(problemOf(number, '3')).toBeUndefined();
  expect(problemOf(number, '')).toBe('mustBeNumber');
  expect(problemOf(number, 'x')).toBe('mustBeNumber');
  expect(problemOf(number, '-500')).toBe('tooLow');
  expect(problemOf(number, '1.5')).toBe('mustBeWhole');
  expect(problemOf({ ...number, decimal: true }, '1.5')).toBeUndefined();
  expect(problemOf({ key: 'GroupRatio', kind: 'json' }, '{')).toBe('mustBeJson');
  expect(problemOf({ key: 'DefaultPrice', kind: 'json' }, '')).toBeUndefined();
  const groups = { key: 'TeamsOfGroups', kind: 'teamGroups' } as const;
  expect(problemOf(groups, '')).toBeUndefined();
  expect(problemOf(groups, '[{"group":"staff","team":7,"role":"member"}]')).toBeUndefined();
  expect(problemOf(groups, '[{"group":" ","team":7,"role":"member"}]')).toBe('mustBeGroups');
  expect(problemOf(groups, '[{"group":"staff","team":0,"role":"member"}]')).toBe('mustBeGroups');
});

test('JSON is formatted, other text is unchanged', () => {
  expect(spread('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(spread('{')).toBe('{');
  expect(spread('')).toBe('');
});
