import { completionTokens, noUsage, promptTokens } from '@relay-hub/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readOpenAiUsage } from './open-ai-usage.ts';

type Row = [what: string, raw: unknown, usage: Partial<typeof noUsage> | undefined];

const rows: Row[] = [
  ['plain', { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }, { input: 10, output: 5 }],
  ['zero is a value', { prompt_tokens: 0, completion_tokens: 0 }, {}],
  ['embeddings have no completion', { prompt_tokens: 8, total_tokens: 8 }, { input: 8 }],
  ['completion null', { prompt_tokens: 8, completion_tokens: null }, { input: 8 }],
  [
    'details null',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: null, completion_tokens_details: null },
    { input: 10, output: 5 },
  ],
  [
    'cached inside of the prompt',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 4 } },
    { input: 6, cached: 4, output: 5 },
  ],
  [
    'all cached',
    { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: { cached_tokens: 10 } },
    { cached: 10 },
  ],
  [
    'DeepSeek',
    { prompt_tokens: 100, completion_tokens: 7, prompt_cache_hit_tokens: 64, prompt_cache_miss_tokens: 36 },
    { input: 36, cached: 64, output: 7 },
  ],
  [
    'details win over DeepSeek’s field',
    {
      prompt_tokens: 100,
      completion_tokens: 7,
      prompt_cache_hit_tokens: 64,
      prompt_tokens_details: { cached_tokens: 60 },
    },
    { input: 40, cached: 60, output: 7 },
  ],
  [
    'audio on both sides',
    {
      prompt_tokens: 20,
      completion_tokens: 30,
      prompt_tokens_details: { audio_tokens: 12 },
      completion_tokens_details: { audio_tokens: 25 },
    },
    { input: 8, inputAudio: 12, output: 5, outputAudio: 25 },
  ],
  [
    'images',
    { prompt_tokens: 373, completion_tokens: 9, prompt_tokens_details: { image_tokens: 323 } },
    { input: 50, inputImage: 323, output: 9 },
  ],
  [
    'reasoning',
    { prompt_tokens: 5, completion_tokens: 300, completion_tokens_details: { reasoning_tokens: 256 } },
    { input: 5, output: 44, reasoning: 256 },
  ],
  [
    'more cached than prompt',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: 99 } },
    { cached: 10, output: 5 },
  ],
  [
    'parts that overlap do not count twice',
    {
      prompt_tokens: 10,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8, audio_tokens: 8, image_tokens: 8 },
    },
    { cached: 8, inputAudio: 2, output: 5 },
  ],
  [
    'more reasoning than completion',
    { prompt_tokens: 1, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 50, audio_tokens: 50 } },
    { input: 1, reasoning: 5 },
  ],
  [
    'a negative part is none',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: -4 } },
    { input: 10, output: 5 },
  ],
  [
    'a part that is a text is none',
    { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { cached_tokens: '4' } },
    { input: 10, output: 5 },
  ],
  [
    'a total that contradicts is not read',
    { prompt_tokens: 10, completion_tokens: 5, total_tokens: 9999 },
    { input: 10, output: 5 },
  ],
  [
    'as many as can be',
    { prompt_tokens: 1_000_000_000, completion_tokens: 1_000_000_000 },
    { input: 1_000_000_000, output: 1_000_000_000 },
  ],
  ['absent', undefined, undefined],
  ['null', null, undefined],
  ['a number', 15, undefined],
  ['empty', {}, undefined],
  ['a list', [], undefined],
  ['only a total', { total_tokens: 15 }, undefined],
  ['prompt null', { prompt_tokens: null, completion_tokens: 5 }, undefined],
  ['negative prompt', { prompt_tokens: -10, completion_tokens: 5 }, undefined],
  ['negative completion', { prompt_tokens: 10, completion_tokens: -5 }, undefined],
  ['fractional', { prompt_tokens: 10.5, completion_tokens: 5 }, undefined],
  ['huge', { prompt_tokens: 1e15, completion_tokens: 5 }, undefined],
  ['one above the most', { prompt_tokens: 10, completion_tokens: 1_000_000_001 }, undefined],
  ['texts', { prompt_tokens: '10', completion_tokens: '5' }, undefined],
];

test.each(rows)('%s', (_, raw, usage) => {
  expect(readOpenAiUsage(raw)).toEqual(usage && { ...noUsage, ...usage });
});

const value = fc.oneof(fc.integer({ min: -10, max: 5000 }), fc.double(), fc.constantFrom(null, undefined, '7', true));

test('whatever is told, no counter is negative and the parts are the whole', () => {
  const raw = fc.record({
    prompt_tokens: value,
    completion_tokens: value,
    prompt_cache_hit_tokens: value,
    prompt_tokens_details: fc.record({ cached_tokens: value, audio_tokens: value, image_tokens: value }),
    completion_tokens_details: fc.record({ reasoning_tokens: value, audio_tokens: value }),
  });
  fc.assert(
    fc.property(raw, (told) => {
      const usage = readOpenAiUsage(told);
      if (!usage) return;
      for (const count of Object.values(usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true);
      expect(promptTokens(usage)).toBe(told.prompt_tokens);
      expect(completionTokens(usage)).toBe(told.completion_tokens ?? 0);
    }),
  );
});
