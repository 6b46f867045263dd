import { expect, test } from 'vitest';
import { Minute } from '#live/hour/minute.ts';
import { minuteFromText, minuteToText } from '#live/hour/minute-text.ts';
import { callTroubles, refusedLately, slowChannels } from './call-troubles.ts';

const NOW = 60_000;
const caller = { userId: 1, username: 'u', tokenId: 1, tokenName: 't' };

/** Calls of channel 1: how many minutes ago, how many, and their times. */
type Calls = readonly [minutesAgo: number, count: number, times: { firstMs?: number; durationMs?: number }];

const minutesOf = (calls: readonly Calls[]): Minute[] =>
  calls.map(([ago, count, { firstMs, durationMs }]) => {
    const minute = new Minute(NOW / 60 - ago);
    for (let made = 0; made < count; made++)
      minute.ended(
        {
          caller,
          model: 'm',
          failed: false,
          credits: 0,
          firstMs,
          attemptFirstMs: firstMs,
          durationMs,
          attempts: [[1, 'ok']],
        },
        NOW - ago * 60,
      );
    // As another node reads it.
    return minuteFromText(minute.number, minuteToText(minute))!;
  });

const usually = (firstMs: number, durationMs: number, calls = 50) => ({
  first_token: { calls, p50: firstMs },
  duration: { calls, p50: durationMs },
});

test.each([
  ['three times as long to the first token as usual', [[3, 6, { firstMs: 3500 }]], usually(1000, 5000), true],
  ['twice as long as usual', [[3, 6, { firstMs: 2100 }]], usually(1000, 5000), false],
  ['a usually slow model as slow as always', [[3, 6, { firstMs: 20_000 }]], usually(18_000, 60_000), false],
  ['much longer than usual, yet short', [[3, 6, { firstMs: 1500 }]], usually(200, 5000), false],
  ['too few streams to know', [[3, 4, { firstMs: 9000 }]], usually(1000, 5000), false],
  ['a new channel, above the limit of the settings', [[3, 6, { firstMs: 9000 }]], undefined, true],
  ['a channel with few calls so far, above it', [[3, 6, { firstMs: 9000 }]], usually(9000, 9000, 49), true],
  ['a new channel below it', [[3, 6, { firstMs: 4000 }]], undefined, false],
  ['whole calls of thrice the usual time', [[3, 11, { durationMs: 40_000 }]], usually(1000, 10_000), true],
  ['whole calls of a new channel', [[3, 11, { durationMs: 40_000 }]], undefined, false],
  [
    'slow since a minute ago, after many fast calls',
    [
      [5, 200, { firstMs: 900 }],
      [0, 6, { firstMs: 9000 }],
    ],
    usually(1000, 5000),
    true,
  ],
  [
    'fast since a minute ago, after many slow calls',
    [
      [5, 200, { firstMs: 9000 }],
      [0, 6, { firstMs: 900 }],
    ],
    usually(1000, 5000),
    false,
  ],
] as const)('a channel is slow by its usual time: %s', (_, calls, usual, isSlow) => {
  const speeds = new Map(usual ? [[1, usual]] : []);
  expect(slowChannels(minutesOf(calls), speeds, { boundMs: 5000, now: NOW }).has(1)).toBe(isSlow);
});

/** Minutes of the site: minutes ago, calls, failed and refused ones among them. */
const siteOf = (rows: readonly (readonly [minutesAgo: number, calls: number, failed: number, refused?: number])[]) =>
  rows.map(([ago, calls, failed, refused = 0]) => {
    const minute = new Minute(NOW / 60 - ago);
    Object.assign(minute.sums, { calls, failed, refused });
    return minute;
  });

test.each([
  ['a tenth fails', [[3, 100, 10]], true],
  ['a hundredth fails', [[3, 100, 1]], false],
  ['all of too few calls', [[3, 19, 19]], false],
  ['refused calls are no part of it', [[3, 100, 4, 80]], true],
  [
    'it began a minute ago',
    [
      [5, 900, 0],
      [1, 30, 30],
    ],
    true,
  ],
  [
    'it ended a minute ago',
    [
      [5, 900, 900],
      [1, 30, 0],
    ],
    false,
  ],
  [
    'it ended, and few calls came since',
    [
      [5, 900, 900],
      [1, 5, 0],
    ],
    true,
  ],
] as const)('the success of the site is an incident or not: %s', (_, rows, isPoor) => {
  const facts = { down: new Set<string>(), hasPrice: () => true, poor: 95, now: NOW };
  const kinds = callTroubles({ ...facts, minutes: siteOf(rows) }).map(({ kind }) => kind);
  expect(kinds).toEqual(isPoor ? ['success'] : []);
});

test.each([
  ['many more than usual', [[0, 90, 0, 90]], 10, false, true],
  ['as many as usual', [[0, 90, 0, 90]], 80, false, false],
  ['few, but none are usual', [[0, 20, 0, 20]], 0, false, false],
  ['open, and they go on', [[0, 90, 0, 90]], 10, true, true],
  ['open, and over since two minutes', [[5, 900, 0, 900]], 10, true, false],
] as const)('refused calls are far above the usual number or not: %s', (_, rows, usual, isOpen, isAbove) => {
  expect(refusedLately(siteOf(rows), NOW).isAbove(usual, isOpen)).toBe(isAbove);
});
