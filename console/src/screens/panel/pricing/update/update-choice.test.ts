import type { PriceDifference, PricePreview } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { byMove, choiceOf, leftAtFirst, tabsOf } from './update-choice.ts';

const difference = (model: string, more: Partial<PriceDifference> = {}): PriceDifference => ({
  model,
  before: null,
  after: null,
  source: null,
  factor: 1.1,
  jumps: [],
  served: false,
  ...more,
});
const preview: PricePreview = {
  id: 'p',
  from: 'list',
  address: '',
  created_time: 1,
  total: 5,
  own: 1,
  changed: [
    difference('a'),
    difference('jump', { factor: 1000, jumps: ['input'] }),
    difference('zero', { factor: null, jumps: ['output'] }),
  ],
  added: [difference('new', { factor: null })],
  dropped: [difference('old'), difference('in-use', { served: true })],
  unchanged: ['same'],
  rejected: [],
  remarks: [],
  format: 'own',
};

test('large changes and dropped models are not selected at first', () => {
  const left = leftAtFirst(preview);
  expect([...left]).toEqual(['jump', 'zero', 'old', 'in-use']);
  expect(choiceOf(preview, 'overwrite', left)).toEqual({
    counts: { changed: 1, added: 1, dropped: 0, total: 2, refused: 0 },
    body: { id: 'p', mode: 'overwrite', leave: ['jump', 'zero', 'old', 'in-use'], confirmed: [] },
  });
  expect(choiceOf(preview, 'overwrite', new Set(['zero', 'in-use']))).toEqual({
    counts: { changed: 2, added: 1, dropped: 1, total: 4, refused: 0 },
    body: { id: 'p', mode: 'overwrite', leave: ['zero', 'in-use'], confirmed: ['jump'] },
  });
});

test('a dropped price that a channel uses is counted as refused calls', () => {
  expect(choiceOf(preview, 'overwrite', new Set()).counts).toMatchObject({ dropped: 2, refused: 1 });
  expect(choiceOf(preview, 'add', new Set()).counts).toMatchObject({ dropped: 0, refused: 0 });
});

test('what was rejected or left out of a list is shown if there is any', () => {
  const rejected = [{ row: 1, model: 'm', field: 'input', problem: 'no number', kept: false }];
  const remarks = [{ remark: 'unknown_field' as const, field: 'cost_per_page', count: 2, models: ['m', 'n'] }];
  const tabs = (more: Partial<PricePreview>) => tabsOf({ ...preview, ...more }, 'add').map(({ value }) => value);
  expect(tabs({ remarks })).toEqual(['added', 'unchanged', 'remarks']);
  expect(tabs({ rejected, remarks })).toEqual(['added', 'unchanged', 'rejected', 'remarks']);
});

test('an update that only adds has nothing else to choose', () => {
  expect(tabsOf(preview, 'add').map(({ value }) => value)).toEqual(['added', 'unchanged']);
  expect(choiceOf(preview, 'add', new Set()).counts).toEqual({
    changed: 0,
    added: 1,
    dropped: 0,
    total: 1,
    refused: 0,
  });
  expect(choiceOf(preview, 'add', new Set()).body.confirmed).toEqual([]);
});

test('rejected rows are shown only where there are some', () => {
  expect(tabsOf(preview, 'overwrite')).toEqual([
    { value: 'changed', count: 3 },
    { value: 'added', count: 1 },
    { value: 'dropped', count: 2 },
    { value: 'unchanged', count: 1 },
  ]);
  const rejected = [{ row: 1, model: 'x', field: 'input', problem: 'no', kept: false }];
  expect(tabsOf({ ...preview, rejected }, 'add').at(-1)).toEqual({ value: 'rejected', count: 1 });
});

test('the largest changes come first, in either direction, and those to zero before all', () => {
  const moves = [
    difference('b', { factor: 1.2 }),
    difference('a', { factor: 1.2 }),
    difference('down', { factor: 0.5 }),
    difference('zero', { factor: null }),
  ];
  expect(byMove(moves).map(({ model }) => model)).toEqual(['zero', 'down', 'a', 'b']);
});
