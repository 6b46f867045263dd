import { expect, test } from 'vitest';
import { customParameterOf, rulesOfCustomParameter, rulesOfParamOverride } from './family-rules.ts';
import { type RequestRule, requestRule } from './request-rule.ts';

const rule = (more: Partial<RequestRule> & Pick<RequestRule, 'action' | 'field'>): RequestRule =>
  requestRule.parse(more);
const set = (field: string, value: unknown, more: Partial<RequestRule> = {}) =>
  rule({ action: 'set', field, value, ...more });
const fill = (field: string, value: unknown, more: Partial<RequestRule> = {}) =>
  rule({ action: 'default', field, value, ...more });

const customParameters: [text: string, rules: RequestRule[], lost?: string[]][] = [
  ['{"top_k":1}', [fill('top_k', 1)]],
  ['{"overwrite":true,"a":{"b":[1],"c":{}}}', [set('a.b', [1]), set('a.c', {})]],
  ['{"pre_add":true,"reasoning_effort":"low"}', [fill('reasoning_effort', 'low', { before_conversion: true })]],
  [
    '{"per_model":true,"overwrite":true,"gpt-4o":{"n":1},"qwen*":{"enable_thinking":false}}',
    [set('n', 1, { models: ['gpt-4o'] }), set('enable_thinking', false, { models: ['qwen*'] })],
  ],
  ['{"a.b":null}', [fill('a\\.b', null)]],
  ['{"stream":true,"model":"x","ok":1}', [fill('ok', 1)], ['stream', 'model']],
  ['{"per_model":true,"gpt-4o":5}', [], ['gpt-4o']],
];

test.each(customParameters)('custom_parameter %s', (text, rules, lost = []) => {
  expect(rulesOfCustomParameter(text)).toEqual({ rules, lost });
  // The rules that were read can be written and read again.
  expect(rulesOfCustomParameter(customParameterOf(rules) || '{}')).toEqual({ rules, lost: [] });
});

test.each([
  ['conditions', [set('a', 1, { when: [{ field: 'b', test: 'present' }] })]],
  ['both set and default', [set('a', 1), fill('b', 1)]],
  ['renaming', [rule({ action: 'rename', field: 'a', to: 'b' })]],
  ['headers', [set('x-a', '1', { target: 'header' })]],
  ['one path inside of another', [set('a', 1), set('a.b', 1)]],
  ['some models', [set('a', 1), set('b', 1, { models: ['m'] })]],
  ['a field with the name of a switch', [set('overwrite', 1)]],
])('custom_parameter cannot express %s', (_, rules) => expect(customParameterOf(rules)).toBe(''));

const operations = (...list: unknown[]) => JSON.stringify({ operations: list });
const paramOverrides: [text: string, rules: RequestRule[], lost?: string[]][] = [
  ['{"temperature":0,"a":{"b":1}}', [set('temperature', 0), set('a', { b: 1 })]],
  [operations({ path: 'a.b', mode: 'set', value: 1 }), [set('a.b', 1)]],
  [operations({ path: 'a', mode: 'set', value: 1, keep_origin: true }), [fill('a', 1)]],
  [operations({ path: 'a', mode: 'delete' }), [rule({ action: 'delete', field: 'a' })]],
  [operations({ mode: 'move', from: 'a', to: 'b' }), [rule({ action: 'rename', field: 'a', to: 'b' })]],
  [operations({ path: 'X-A', mode: 'set_header', value: '1' }), [set('X-A', '1', { target: 'header' })]],
  [
    operations({ path: 'a', mode: 'set', value: 1, conditions: [{ path: 'model', mode: 'prefix', value: 'gpt-' }] }),
    [set('a', 1, { models: ['gpt-*'] })],
  ],
  [
    operations({ path: 'a', mode: 'set', value: 1, logic: 'AND', conditions: [{ path: 'model', mode: 'full', value: 'm' }, { path: 'b', mode: 'full', value: 2, invert: true }] }),
    [set('a', 1, { models: ['m'], when: [{ field: 'b', test: 'present' }, { field: 'b', test: 'is_not', value: 2 }] })],
  ], // prettier-ignore
  [
    operations({ path: 'a', mode: 'set', value: 1, conditions: [{ path: 'b', mode: 'full', value: 1 }, { path: 'c', mode: 'full', value: 2 }] }),
    [set('a', 1, { when: [{ field: 'b', test: 'is', value: 1 }] }), set('a', 1, { when: [{ field: 'c', test: 'is', value: 2 }] })],
  ], // prettier-ignore
  [
    operations(
      { path: 'messages', mode: 'prepend', value: 'x' },
      { mode: 'return_error', value: {} },
      { path: 'a', mode: 'set', value: 1, conditions: [{ path: 'b', mode: 'contains', value: 'x' }] },
      { path: 'model', mode: 'set', value: 'other' },
      { path: 'Authorization', mode: 'set_header', value: 'x' },
      'nothing',
    ),
    [],
    ['prepend messages', 'return_error', 'set a', 'set model', 'set_header Authorization', 'operation'],
  ],
];

test.each(paramOverrides)('param_override %s', (text, rules, lost = []) =>
  expect(rulesOfParamOverride(text)).toEqual({ rules, lost }),
);

test.each(['', '[]', 'null', '{', '"a"'])('%j is neither', (text) => {
  expect(rulesOfCustomParameter(text)).toBeUndefined();
  expect(rulesOfParamOverride(text)).toBeUndefined();
});
