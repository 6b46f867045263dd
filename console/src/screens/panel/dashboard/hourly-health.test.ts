import type { ChannelHealth } from '@relay-hub/contract';
import { expect, test } from 'vitest';
import { levelOfHour } from '#domain/channel/success-limits.ts';
import { hourlyHealth } from './hourly-health.ts';

const health = (id: number, ...last: [requests: number, failures: number][]): ChannelHealth => ({
  channel_id: id,
  hours: [
    ...Array.from({ length: 24 - last.length }, () => ({ requests: 0, failures: 0 })),
    ...last.map(([requests, failures]) => ({ requests, failures })),
  ],
});

test('the hours of all channels are added up', () => {
  const failing = health(2, [1, 1]);
  failing.hours.at(-1)!.reasons = { rate: 1 };
  const bars = hourlyHealth([health(1, [5, 1], [2, 0]), failing], 7200);
  expect(bars).toHaveLength(24);
  expect(bars.at(-1)).toMatchObject({ requests: 3, failures: 1, reasons: { rate: 1 } });
  expect(bars.at(-2)).toMatchObject({ requests: 5, failures: 1 });
});

test.each([
  [0, 0, 'none'],
  [20, 0, 'fine'],
  // One or two of twenty are 95 and 90 %, and chance.
  [20, 1, 'few'],
  [20, 2, 'few'],
  [20, 3, 'failing'],
  [100, 3, 'some'],
  [1000, 3, 'fine'],
  [6, 3, 'failing'],
  [10, 3, 'some'],
])('an hour of %d attempts with %d failures is %s', (requests, failures, level) => {
  expect(levelOfHour({ requests, failures }, { fine: 99, poor: 95 })).toBe(level);
});
