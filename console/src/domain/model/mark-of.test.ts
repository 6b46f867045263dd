import { expect, test } from 'vitest';
import { markNames } from '#ui/basic/mark-names.ts';
import { markOf } from './mark-of.ts';

test.each([
  ['OpenAI', 'openai'],
  ['DeepSeek', 'deepseek'],
  ['gpt-4o-mini', 'openai'],
  ['o3-mini', 'openai'],
  ['claude-sonnet-4-5', 'claude'],
  ['Qwen/Qwen3-32B', 'qwen'],
  ['accounts/fireworks/models/llama-v3p1-405b', 'meta'],
  ['codestral-latest', 'mistral'],
  ['mixtral-8x7b', 'mistral'],
  ['yi-large', 'yi'],
  ['Rerank', ''],
  ['yield-model', ''],
  ['own-model', ''],
  ['?', ''],
])('the mark of %s is "%s"', (name, mark) => {
  expect(markOf(name)).toBe(mark);
  expect(mark === '' || markNames.has(mark)).toBe(true);
});
