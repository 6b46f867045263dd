import type { UserGroup } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { chooseGroup, countOwners, findModels, newestVersion, noOwner, pricedModels } from './price-list-rows.ts';

const terms = { type: 'tokens', channel_type: 1, input: 1, output: 4 } as const;
const available = {
  'gpt-10': {
    groups: ['default'],
    owned_by: 'OpenAI',
    price: { ...terms, model: 'gpt-10', version: 7, valid_from: 70 },
  },
  'gpt-9': { groups: ['vip'], owned_by: 'OpenAI', price: { ...terms, model: 'gpt-*', version: 9, valid_from: 90 } },
  lonely: { groups: ['default'], owned_by: 'unknown', price: { ...terms, model: 'lonely' } },
  'dall-e-3': {
    groups: ['default'],
    owned_by: 'OpenAI',
    price: { ...terms, type: 'times' as const, model: 'dall-e-3' },
  },
  'claude-4': { groups: ['default'], owned_by: 'Anthropic', price: { ...terms, model: 'claude-4' } },
};
const models = pricedModels(available, 'en-US');
const names = (found: typeof models) => found.map(({ model }) => model);
const find = (search: Partial<Parameters<typeof findModels>[1]>) =>
  names(findModels(models, { keyword: '', owner: '', type: '', ...search }));

describe('a price list', () => {
  test('goes by owner, those of nobody last, and by name as people count', () => {
    expect(names(models)).toEqual(['claude-4', 'dall-e-3', 'gpt-9', 'gpt-10', 'lonely']);
    expect(pricedModels(undefined, 'en-US')).toEqual([]);
  });

  test('is searched by words of the name or the owner, whatever their case', () => {
    expect(find({ keyword: 'GPT' })).toEqual(['gpt-9', 'gpt-10']);
    expect(find({ keyword: '  openai  3 ' })).toEqual(['dall-e-3']);
    expect(find({ keyword: 'nothing' })).toEqual([]);
  });

  test('is narrowed to an owner, also to nobody, and to a way of billing', () => {
    expect(find({ owner: 'Anthropic' })).toEqual(['claude-4']);
    expect(find({ owner: noOwner })).toEqual(['lonely']);
    expect(find({ type: 'times' })).toEqual(['dall-e-3']);
    expect(find({ type: 'tokens', owner: 'OpenAI' })).toEqual(['gpt-9', 'gpt-10']);
  });

  test('counts the models of each owner', () => {
    expect(countOwners(models)).toEqual([
      { owner: 'Anthropic', count: 1 },
      { owner: 'OpenAI', count: 3 },
      { owner: '', count: 1 },
    ]);
  });

  test('tells the newest price in it', () => {
    expect(newestVersion(models)).toEqual({ version: 9, from: 90 });
    expect(newestVersion([])).toBeUndefined();
  });
});

test('prices are those of the group asked for, the own, the default, or any', () => {
  const group = (symbol: string): UserGroup => ({
    id: 1,
    symbol,
    name: symbol,
    ratio: 1,
    api_rate: 60,
    public: true,
    enable: true,
    token_limits: null,
    model_switch: null,
    limit_wait: null,
    channel_preference: null,
  });
  const all = { vip: group('vip'), default: group('default'), svip: group('svip') };
  expect(chooseGroup(all, 'svip', 'vip')?.symbol).toBe('svip');
  expect(chooseGroup(all, 'gone', 'vip')?.symbol).toBe('vip');
  expect(chooseGroup(all, '', undefined)?.symbol).toBe('default');
  expect(chooseGroup({ svip: group('svip') }, '', 'gone')?.symbol).toBe('svip');
  expect(chooseGroup({}, '', undefined)).toBeUndefined();
});
