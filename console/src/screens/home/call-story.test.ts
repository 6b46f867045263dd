import { describe, expect, test } from 'vitest';
import { callStory, shownAt, streamed } from './call-story.ts';

const price = { model: 'm', type: 'tokens' as const, channel_type: 1, input: 1.25, output: 5 };

describe.each([
  ['a cache inside the prompt', price, 1],
  ['a cache beside the prompt', { ...price, extra_ratios: { cached_read_ratio: 0.1 } }, 0.8],
  ['a call that costs more than the usual balance', { ...price, input: 900, output: 4_000 }, 3],
])('the example call with %s', (_, terms, group) => {
  const { usage, charge, before, after } = callStory(terms, group);
  test('has an invoice that adds up, from tokens to the balance', () => {
    const lines = charge.parts.map(({ count, ratio, credits }) => {
      expect(Number(credits)).toBeCloseTo(count * Number(ratio) * group, 6);
      return Number(credits);
    });
    expect(charge.parts.map(({ count }) => count)).toEqual(Object.values(usage).filter(Boolean));
    const sum = lines.reduce((all, line) => all + line, 0);
    expect(sum).toBeCloseTo(Number(charge.subtotal), 6);
    expect(charge.credits).toBe(Math.ceil(Number(charge.subtotal)));
    expect(before - charge.credits).toBe(after);
    expect(after).toBeGreaterThanOrEqual(0);
  });
});

test.each([
  ['en-US', 'Costs fell, so the margin rose.'],
  ['zh-CN', '成本下降，利润率上升。'],
])('an answer in %s streams whole and in order, between the first token and the end', (language, answer) => {
  const pieces = streamed(answer, language);
  expect(pieces.map(({ text }) => text).join('')).toBe(answer);
  expect(pieces.length).toBeGreaterThan(4);
  const times = pieces.map(({ at }) => at);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  expect(times[0]).toBe(shownAt.first);
  expect(times.at(-1)).toBeLessThan(shownAt.end);
});
