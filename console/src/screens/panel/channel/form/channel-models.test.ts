import type { Channel } from '@relay-hub/contract';
import { describe, expect, test } from 'vitest';
import { compareModels, orphanedModels, unpricedModels } from './channel-models.ts';

describe('models that would be left without a channel', () => {
  const channel = (id: number, models: string, status = 1) => ({ id, models, status }) as Channel; // the fields that are read
  const all = [
    channel(1, 'gpt-4o,o3,o4-mini'),
    channel(2, 'gpt-4*,whisper-1'),
    channel(3, 'o3', 2),
    channel(4, 'o4-mini'),
  ];
  test.each([
    ['a model that nobody else has', [1], ['o3']],
    ['a wildcard, whatever exact names others have', [2], ['gpt-4*', 'whisper-1']],
    ['nothing for a channel that is off already', [3], []],
    ['nothing for models that another one has', [4], []],
    ['what several have among them', [1, 4], ['o3', 'o4-mini']],
    ['nothing for none', [], []],
  ])('%s', (_, ids, models) =>
    expect(
      orphanedModels(
        all.filter(({ id }) => ids.includes(id)),
        all,
      ),
    ).toEqual(models),
  );
});

describe('models without a price', () => {
  const priced = ['gpt-4o', 'o3', 'claude-*'];
  test.each([
    [['gpt-4o', 'gpt-5', 'claude-x'], '', ['gpt-5']],
    [['gpt-4*', 'o4*', 'claude-3*'], '', ['o4*']],
    [['mine'], '{"mine":"gpt-4o"}', []],
    [['mine'], '{"mine":"+gpt-4o"}', ['mine']],
    [['gpt-4o'], '{"gpt-4o":"unknown"}', ['gpt-4o']],
    [['gpt-4o'], '{"gpt-4o":', []],
  ])('of %j mapped by %s: %j', (models, mapping, unpriced) =>
    expect(unpricedModels(models, mapping, priced)).toEqual(unpriced),
  );
});

test("a channel's models are compared with the provider's", () => {
  expect(compareModels(['a', 'b*', 'mine', 'old'], ['a', 'b-1', 'c'], '{"mine":"a"}')).toEqual({
    added: ['c'],
    gone: ['old'],
  });
  expect(compareModels([], ['a'], '')).toEqual({ added: ['a'], gone: [] });
});
