import { expect, test } from 'vitest';
import { firstModel, modelsFor, modelsOfGroup } from './chat-models.ts';

const model = (name: string, input: number, output: number, groups = ['default']) => ({
  [name]: { groups, owned_by: 'x', price: { model: name, type: 'tokens' as const, channel_type: 1, input, output } },
});
const available = {
  ...model('o3', 1, 4),
  ...model('gpt-4o-mini', 0.075, 0.3),
  ...model('text-embedding-3-small', 0.01, 0.01),
  ...model('gpt-4*', 0.01, 0.02),
  ...model('vip-only', 0.01, 0.02, ['vip']),
};

test('a group has the names it may call, sorted', () => {
  expect(modelsOfGroup(available, 'default')).toEqual(['gpt-4o-mini', 'o3', 'text-embedding-3-small']);
  expect(modelsOfGroup(available, 'nobody')).toEqual([]);
});

test('the first model is the cheapest chat model', () => {
  expect(firstModel(available, modelsOfGroup(available, 'default'))).toBe('gpt-4o-mini');
  expect(firstModel(available, ['text-embedding-3-small'])).toBe('text-embedding-3-small');
  expect(firstModel(available, [])).toBeUndefined();
});

test('the models of a tool are its own, newest first, and then the others, cheapest first', () => {
  const models = {
    ...model('claude-3-haiku', 0.1, 0.5),
    ...model('claude-sonnet-4', 1.5, 7.5),
    ...model('claude-sonnet-4-5', 1.5, 7.5),
    ...model('gpt-4o', 1, 4),
    ...model('gpt-4o-mini', 0.075, 0.3),
    ...model('text-embedding-3-small', 0.01, 0.01),
  };
  const names = modelsOfGroup(models, 'default');
  const sorted = modelsFor(models, names, [/sonnet/, /claude/]);
  expect(sorted.map(({ name }) => name)).toEqual([
    'claude-sonnet-4-5',
    'claude-sonnet-4',
    'claude-3-haiku',
    'gpt-4o-mini',
    'gpt-4o',
  ]);
  expect(sorted.filter(({ suits }) => suits)).toHaveLength(3);
  expect(modelsFor(models, ['text-embedding-3-small']).map(({ name }) => name)).toEqual(['text-embedding-3-small']);
});
