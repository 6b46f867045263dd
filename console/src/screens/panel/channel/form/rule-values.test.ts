import { requestRule } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { changedRule, emptyRule, formatOf, movedBy, pastedRules, valueOf, valueText } from './rule-values.ts';

test.each([
  ['0.5', 0.5],
  ['false', false],
  ['null', null],
  ['flex', 'flex'],
  ['"5"', '5'],
  ['', ''],
  ['[1]', [1]],
  ['{"a":1}', { a: 1 }],
  ['{"a":', '{"a":'],
])('the text %s is a value, and the value this text', (text, value) => {
  expect(valueOf(text)).toEqual(value);
  expect(valueText(value)).toBe(text);
});

test('a rule keeps only what its action has', () => {
  const set = { ...emptyRule, field: 'a', value: 1 };
  expect(changedRule(set, { action: 'delete' })).not.toHaveProperty('value');
  const renamed = changedRule(set, { action: 'rename' });
  expect(renamed).toMatchObject({ to: '' });
  expect(renamed).not.toHaveProperty('value');
  expect(changedRule(renamed, { action: 'set' })).toMatchObject({ value: '' });
  expect(changedRule(set, { target: 'header' })).toMatchObject({ value: '1' });
});

test('an entry moves by one place, and not beyond the ends', () => {
  expect(movedBy(['a', 'b', 'c'], 1, -1)).toEqual(['b', 'a', 'c']);
  expect(movedBy(['a', 'b', 'c'], 1, 1)).toEqual(['a', 'c', 'b']);
  expect(movedBy(['a', 'b'], 0, -1)).toEqual(['a', 'b']);
  expect(movedBy(['a', 'b'], 1, 1)).toEqual(['a', 'b']);
});

test('pasted JSON is read in its format', () => {
  const rule = requestRule.parse({ action: 'set', field: 'a', value: 1 });
  expect(formatOf('[]')).toBe('rules');
  expect(formatOf('{"operations":[]}')).toBe('param_override');
  expect(formatOf('{"overwrite":true}')).toBe('custom_parameter');
  expect(formatOf('{"a":1}')).toBeUndefined();
  expect(pastedRules('[{"action":"set","field":"a","value":1}]', 'rules')).toEqual({ rules: [rule], lost: [] });
  expect(pastedRules('[{"action":"set","field":"model","value":1}]', 'rules')).toBe('0.field');
  expect(pastedRules('{"a":1,"model":"x"}', 'param_override')).toEqual({ rules: [rule], lost: ['model'] });
  expect(pastedRules('{"a":1}', 'custom_parameter')).toEqual({ rules: [{ ...rule, action: 'default' }], lost: [] });
  for (const format of ['rules', 'custom_parameter', 'param_override'] as const)
    expect(pastedRules('{', format)).toBe('');
});
