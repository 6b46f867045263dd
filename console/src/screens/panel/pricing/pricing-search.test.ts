import type { Price } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import {
  findPrices,
  keyOfGroup,
  keyOfPrice,
  mergePrices,
  noFilter,
  pageOfSorted,
  pricesFor,
  unitOf,
  unitText,
  unknownOwner,
} from './pricing-search.ts';

const price = (model: string, input: number, more: Partial<Price> = {}): Price => ({
  model,
  type: 'tokens',
  channel_type: 1,
  input,
  output: input * 4,
  version: 1,
  valid_from: 1,
  source: 'remote',
  ...more,
});
const prices = [
  price('gpt-10', 1, { version: 5 }),
  price('gpt-9', 5, { source: 'own', version: 9 }),
  price('dall-e-3', 20, { type: 'times', output: 0 }),
  price('claude-4', 1.5, { channel_type: 14 }),
  price('home-made', 1, { channel_type: 0 }),
  price('gpt-11', 1, { version: 7 }),
];
const owners = [
  { id: 1, name: 'OpenAI', icon: '' },
  { id: 14, name: 'Anthropic', icon: '' },
];
const names = (found: readonly Price[]) => found.map(({ model }) => model);
const find = (filter: Partial<typeof noFilter>) => names(findPrices(prices, { ...noFilter, ...filter }, owners));
const sorted = (order: string, page = 1, size = 10) =>
  names(pageOfSorted(prices, { page, size, order }, keyOfPrice, 'en-US').data);

describe('the list of prices', () => {
  test('is searched by words of the model’s or its owner’s name', () => {
    expect(find({ keyword: 'OPENAI gpt' })).toEqual(['gpt-10', 'gpt-9', 'gpt-11']);
    expect(find({ keyword: 'anthropic' })).toEqual(['claude-4']);
  });

  test('is filtered by type, owner, no owner and source; unknown values in the address are ignored', () => {
    expect(find({ type: 'times' })).toEqual(['dall-e-3']);
    expect(find({ owner: 14 })).toEqual(['claude-4']);
    expect(find({ owner: unknownOwner })).toEqual(['home-made']);
    expect(find({ source: 'own' })).toEqual(['gpt-9']);
    expect(find({ source: 'nonsense' })).toHaveLength(prices.length);
  });

  test('is sorted by name with natural numbers, or by a number and then by name', () => {
    expect(sorted('')).toEqual(['claude-4', 'dall-e-3', 'gpt-9', 'gpt-10', 'gpt-11', 'home-made']);
    expect(sorted('-input')).toEqual(['dall-e-3', 'gpt-9', 'claude-4', 'gpt-10', 'gpt-11', 'home-made']);
    expect(sorted('input')).toEqual(['gpt-10', 'gpt-11', 'home-made', 'claude-4', 'gpt-9', 'dall-e-3']);
    expect(sorted('-version').slice(0, 2)).toEqual(['gpt-9', 'gpt-11']);
  });

  test('has pages', () => {
    expect(sorted('', 2, 4)).toEqual(['gpt-11', 'home-made']);
    expect(pageOfSorted(prices, { page: 9, size: 4, order: '' }, keyOfPrice, 'en-US')).toEqual({
      data: [],
      total_count: 6,
    });
  });

  test('is merged where terms are equal', () => {
    const merged = mergePrices(prices);
    expect(merged.map(({ models }) => models)).toContainEqual(['gpt-10', 'gpt-11']);
    const page = pageOfSorted(merged, { page: 1, size: 1, order: '-models' }, keyOfGroup, 'en-US');
    expect(page.data[0]?.models).toEqual(['gpt-10', 'gpt-11']);
    expect(keyOfGroup(page.data[0]!).version).toBe(7);
  });
});

test('the address names the open form', () => {
  expect(pricesFor('new', prices)).toEqual([]);
  expect(pricesFor('new:x', prices)).toEqual([]);
  expect(names(pricesFor('gpt-9', prices) ?? [])).toEqual(['gpt-9']);
  expect(names(pricesFor('group:gpt-11', prices) ?? [])).toEqual(['gpt-10', 'gpt-11']);
  expect(pricesFor('gone', prices)).toBeUndefined();
  expect(pricesFor('group:gone', prices)).toBeUndefined();
});

test('units are read from the address', () => {
  expect(['USD1M', 'CNY1K', 'x'].map((key) => unitText(unitOf(key)))).toEqual(['$ / 1M', '¥ / 1K', '$ / 1M']);
});
