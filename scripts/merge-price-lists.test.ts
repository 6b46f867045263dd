import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { PriceInput } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { listText, mergePriceLists, type PriceSourceRead } from './lib/merge-price-lists.ts';
import { root } from './lib/run.ts';

const price = (model: string, input: number): PriceInput => ({
  model,
  type: 'tokens',
  channel_type: 1,
  input,
  output: 4,
  extra_ratios: { cached_tokens_ratio: 0.1 },
});
const source = (name: string, date: string, prices: PriceInput[], isSeller = false): PriceSourceRead => ({
  name,
  date,
  prices,
  isSeller,
});
const merge = (sources: PriceSourceRead[], more: { confirmed?: string[]; added?: string[] } = {}) => {
  const builtIn = ['gpt-a', 'gpt-a-2025*', 'gpt-b', 'gpt-c', 'gpt-4o-mini-tts'].map((model) => price(model, 1));
  const { prices, found, differing, unlisted } = mergePriceLists(builtIn, sources, {
    confirmed: new Set(more.confirmed),
    added: new Set(more.added),
  });
  const inputs = Object.fromEntries(prices.map(({ model, input }) => [model, input]));
  const held = Object.fromEntries(found.map((each) => [each.model, each.held]));
  return { inputs, held, differing: differing.map(({ model, wins }) => `${model}: ${wins}`), unlisted };
};

test('a changed price is written, for snapshots as well, a jump and a new model only by name', () => {
  const lists = [
    source('list', '2026-11-01', [
      price('gpt-a', 2),
      price('gpt-b', 20),
      price('gpt-new', 1),
      price('gpt-4o-mini-tts', 2),
    ]),
  ];
  const unchanged = { 'gpt-b': 1, 'gpt-c': 1, 'gpt-4o-mini-tts': 1 };
  expect(merge(lists)).toEqual({
    inputs: { 'gpt-a': 2, 'gpt-a-2025*': 2, ...unchanged },
    held: { 'gpt-a': '', 'gpt-b': 'jumps', 'gpt-4o-mini-tts': 'kept: charged by its audio' },
    differing: [],
    unlisted: ['gpt-new'],
  });
  expect(merge(lists, { confirmed: ['gpt-b', 'gpt-4o-mini-tts'], added: ['gpt-new'] })).toMatchObject({
    inputs: { 'gpt-b': 20, 'gpt-new': 1, 'gpt-4o-mini-tts': 1 },
    unlisted: [],
  });
});

test('where lists differ the newest wins only if it is confirmed, and a seller never', () => {
  const lists = [
    source('old', '2026-10-01', [price('gpt-a', 2)]),
    source('new', '2026-11-01', [price('gpt-a', 3)]),
    source('seller', '2026-11-20', [price('gpt-c', 0.5), price('gpt-only-there', 1)], true),
  ];
  expect(merge(lists)).toEqual({
    inputs: { 'gpt-a': 1, 'gpt-a-2025*': 1, 'gpt-b': 1, 'gpt-c': 1, 'gpt-4o-mini-tts': 1 },
    held: { 'gpt-a': 'sources differ' },
    differing: ['gpt-a: new'],
    unlisted: [],
  });
  expect(merge(lists, { confirmed: ['gpt-a', 'gpt-c'] }).inputs).toMatchObject({ 'gpt-a': 3, 'gpt-c': 1 });
});

test('the built-in list is written as the tool writes it', () => {
  const text = readFileSync(path.join(root, 'server/src/prices/built-in-prices.json'), 'utf8');
  expect(listText(JSON.parse(text) as PriceInput[])).toBe(text);
});
