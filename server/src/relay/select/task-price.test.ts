import { expect, test } from 'vitest';
import { type PriceRow, PriceBook } from '#live/price-book.ts';
import { midjourneyTasks } from '#providers/task-vendors/midjourney-proxy.ts';
import type { TaskOperation, TaskQuote } from '#providers/task-operation.ts';
import { BadTaskRequest } from '#providers/video-order.ts';
import type { ChannelOffer } from '#relay/types/call-types.ts';
import { priceOfTask } from './task-price.ts';

const row = (model: string, type: PriceRow['type'], input = 1): PriceRow => ({
  version: 1,
  model,
  type,
  channel_type: 0,
  input,
  output: 0,
  extra_ratios: {},
});
const prices = new PriceBook(
  [
    row('v', 'times'),
    row('v_1080p', 'times'),
    row('v_second', 'times'),
    row('v_tokens', 'tokens', 0),
    row('t', 'tokens'),
  ],
  { input: 1, output: 1 },
);

const priced = (quote: TaskQuote | Error, billedModel = 'v') => {
  const operation: TaskOperation = {
    ...midjourneyTasks,
    quote: () => {
      if (quote instanceof Error) throw quote;
      return quote;
    },
  };
  // Only these parts of an offer decide about the price.
  const offer = { operation, billedModel } as Partial<ChannelOffer> as ChannelOffer;
  const order = { platform: 'video', kind: 'generate', action: '', mode: '', body: {} } as const;
  const price = priceOfTask(prices, offer, { order });
  return typeof price === 'object' ? { name: price.name, units: price.units } : price;
};
const name = (of: string, perSecond = false) => ({ name: of, perSecond });

test.each<[string, TaskQuote, { name: string; units: number } | undefined]>([
  [
    'the most specific name that has one',
    { prices: [name('v_4k'), name('v_1080p'), name('v')] },
    { name: 'v_1080p', units: 1 },
  ],
  ['per started second', { prices: [name('v_second', true)], seconds: 4.2 }, { name: 'v_second', units: 5 }],
  ['the billed model per call otherwise', { prices: [name('v_4k', true)], seconds: 4 }, { name: 'v', units: 1 }],
  ['never by token, which would be free', { prices: [name('v_tokens', true)], seconds: 4 }, { name: 'v', units: 1 }],
  ['not at all without a length', { prices: [name('v_second', true)] }, undefined],
  ['not at all for an impossible length', { prices: [name('v_second', true)], seconds: Number.NaN }, undefined],
])('a task is priced %s', (_, quote, expected) => {
  expect(priced(quote)).toEqual(expected);
});

test('a model with a price by token, or only the default one, is not offered', () => {
  expect(priced({ prices: [] }, 't')).toBeUndefined();
  expect(priced({ prices: [] }, 'unpriced')).toBeUndefined();
});

test('an order that the vendor cannot do is unfit', () => {
  expect(priced(new BadTaskRequest('too long', 'seconds'))).toBe('unfit');
});
