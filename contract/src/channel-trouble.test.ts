import { expect, test } from 'vitest';
import type { Channel, ChannelHealth } from './channel.ts';
import { troubleOf } from './channel-trouble.ts';

const channel = (id: number, given: Partial<Channel>) =>
  ({ id, status: 1, last_error: '', last_error_time: 0, test_time: 0, frozen_until: 0, ...given }) as Channel; // only what is read here
const health = (id: number, ...last: [requests: number, failures: number][]): ChannelHealth => ({
  channel_id: id,
  hours: [
    ...Array.from({ length: 24 - last.length }, () => ({ requests: 0, failures: 0 })),
    ...last.map(([requests, failures]) => ({ requests, failures })),
  ],
});
const idsOf = (channels: Channel[], healths: ChannelHealth[]) =>
  troubleOf(channels, healths, 1000).map((each) => each.channel.id);

test('channels that the server switched off come before those that fail, and those that fail most before others', () => {
  const channels = [
    channel(1, { last_error: '503' }),
    channel(2, { last_error: '503' }),
    channel(3, { status: 3 }),
    channel(4, { status: 2, last_error: '401' }),
  ];
  expect(idsOf(channels, [health(1, [10, 1]), health(2, [10, 5])])).toEqual([3, 2, 1]);
});

test('a frozen channel is trouble until its time is over, and the first to look at', () => {
  const channels = [
    channel(1, { last_error: '503' }),
    channel(2, { frozen_until: 1001 }),
    channel(3, { frozen_until: 1000 }),
    channel(4, { status: 2, frozen_until: 1001 }),
    channel(5, { status: 3 }),
  ];
  expect(idsOf(channels, [health(1, [10, 5])])).toEqual([2, 5, 1]);
});

test('an old error of a channel that is well is no trouble', () => {
  expect(
    idsOf([channel(1, { last_error: '503', last_error_time: 5 })], [health(1, [100, 1], [50, 0], [9, 0], [0, 0])]),
  ).toEqual([]);
});

test('a failed test is trouble until another succeeds', () => {
  expect(idsOf([channel(1, { last_error: '401', last_error_time: 7, test_time: 7 })], [health(1, [100, 0])])).toEqual([
    1,
  ]);
});
