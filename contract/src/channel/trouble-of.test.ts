import { expect, test } from 'vitest';
import type { Channel } from './channel.ts';
import { byTrouble, troubleOf } from './trouble-of.ts';

const channel = (id: number, given: Partial<Channel>) =>
  ({ id, status: 1, last_error: '', last_error_time: 0, test_time: 0, frozen_until: 0, ...given }) as Channel; // only the fields that `troubleOf` reads
const none = { requests: 0, failures: 0 };
type Counts = [requests: number, failures: number];
/** The latest attempts of a channel: of the last three hours, and of the day. */
const latest = (recent: Counts, day = recent) => ({
  recent: { requests: recent[0], failures: recent[1] },
  day: { requests: day[0], failures: day[1] },
});
const idsOf = (channels: Channel[], attempts: Record<number, ReturnType<typeof latest>>) =>
  channels
    .flatMap(({ id, ...rest }) => {
      const trouble = troubleOf({ id, ...rest }, attempts[id] ?? { recent: none, day: none }, { now: 1000, poor: 95 });
      return trouble ? [{ id, trouble }] : [];
    })
    .toSorted(byTrouble)
    .map(({ id }) => id);

test('channels that the server switched off come before those that fail, and those that fail most before others', () => {
  const channels = [
    channel(1, { last_error: '503' }),
    channel(2, { last_error: '503' }),
    channel(3, { status: 3 }),
    channel(4, { status: 2, last_error: '401' }),
  ];
  expect(idsOf(channels, { 1: latest([10, 1]), 2: latest([10, 5]) })).toEqual([3, 2, 1]);
});

test('a frozen channel is trouble until its time is over, and the first to look at', () => {
  const channels = [
    channel(1, { last_error: '503' }),
    channel(2, { frozen_until: 1001 }),
    channel(3, { frozen_until: 1000 }),
    channel(4, { status: 2, frozen_until: 1001 }),
    channel(5, { status: 3 }),
  ];
  expect(idsOf(channels, { 1: latest([10, 5]) })).toEqual([2, 5, 1]);
});

test('an old error of a channel that is well is no trouble', () => {
  expect(idsOf([channel(1, { last_error: '503', last_error_time: 5 })], { 1: latest([59, 0], [159, 1]) })).toEqual([]);
});

test('a failed test is trouble until another succeeds', () => {
  expect(idsOf([channel(1, { last_error: '401', last_error_time: 7, test_time: 7 })], { 1: latest([100, 0]) })).toEqual(
    [1],
  );
});

test('the limit of the site decides from three failures on', () => {
  const kind = (attempts: Counts, poor: number) =>
    troubleOf(channel(1, {}), latest(attempts), { now: 1000, poor })?.kind;
  expect([kind([60, 3], 95), kind([59, 3], 95), kind([60, 3], 95.1)]).toEqual([undefined, 'failing', 'failing']);
  expect([kind([11, 2], 95), kind([59, 3], 0)]).toEqual([undefined, undefined]);
});

test('a channel fails by its attempts of three hours, and of the day where there were none', () => {
  expect(troubleOf(channel(1, {}), latest([8, 2], [100, 2]), { now: 1000, poor: 95 })).toEqual({
    kind: 'failing',
    attempts: 8,
    failures: 2,
    hours: 3,
  });
  expect(troubleOf(channel(1, {}), latest([0, 0], [4, 4]), { now: 1000, poor: 95 })).toEqual({
    kind: 'failing',
    attempts: 4,
    failures: 4,
    hours: 24,
  });
  expect(troubleOf(channel(1, {}), latest([10, 1], [10, 1]), { now: 1000, poor: 95 })).toBeNull();
  expect(troubleOf(channel(1, { status: 2, last_error: '503' }), latest([10, 10]), { now: 1000, poor: 95 })).toBeNull();
});
