import { expect, test } from 'vitest';
import { changeOf, noChange, type BulkEditValues } from './bulk-edit-fields.ts';

const of = (more: Partial<BulkEditValues>) => changeOf({ ...noChange, ...more });

test('only ticked fields are changed', () => {
  expect(of({ on: ['tag', 'weight'], tag: ' eu ', weight: 4, priority: 9, models: 'x' })).toEqual({
    verb: 'edit',
    tag: 'eu',
    weight: 4,
  });
  expect(of({ on: ['models', 'group'], models: 'a,b', modelsHow: 'remove', group: 'vip' })).toEqual({
    verb: 'edit',
    models: { how: 'remove', value: 'a,b' },
    group: { how: 'replace', value: 'vip' },
  });
});

test('an empty tag is a change, an empty list is none', () => {
  expect(of({ on: ['tag'] })).toEqual({ verb: 'edit', tag: '' });
  expect(of({ on: ['group'], group: ' , ' })).toBeUndefined();
});

test.each<[why: string, values: Partial<BulkEditValues>]>([
  ['nothing', { on: [] }],
  ['no models', { on: ['models'] }],
  ['half a priority', { on: ['priority'], priority: 0.5 }],
  ['a priority below 0', { on: ['priority'], priority: -1 }],
  ['no weight', { on: ['weight'], weight: null }],
  ['weight 0', { on: ['weight'], weight: 0 }],
  ['no version', { on: ['api_version'], api_version: ' ' }],
  ['one of two', { on: ['tag', 'models'], tag: 'x' }],
])('%s is not sent', (_, values) => {
  expect(of(values)).toBeUndefined();
});
