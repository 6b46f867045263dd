import { expect, test } from 'vitest';
import { cockpitOf } from './cockpit-of.ts';
import { HourSum } from './hour-sum.ts';

/** A state with these channels: attempts and failures of each, ids from 1. */
function stateOf(channels: [attempts: number, failed: number][]) {
  const sum = new HourSum();
  for (const [at, [attempts, failed]] of channels.entries())
    sum.channels.set(at + 1, { attempts, failed, kinds: new Map(), times: undefined });
  const hour = { sum, minutes: [], first: 0, count: 60, now: 3600 };
  const isFailing = (id: number) => (channels[id - 1]?.[1] ?? 0) > 1;
  return cockpitOf(hour, (id) => ({
    name: `channel-${id}`,
    type: 1,
    frozenUntil: 0,
    isFailing: isFailing(id),
    isSlow: false,
  }));
}

test('many failing channels are named up to a limit, the worst ones, and busy ones stay in sight', () => {
  const failing = Array.from({ length: 30 }, (_, at): [number, number] => [100, 50 + at]);
  const { channels, other_channels: others } = stateOf([[9000, 0], [8000, 1], ...failing]);
  expect(channels.map(({ state }) => state).toSorted()).toEqual([...Array(5).fill('failing'), 'well', 'well']);
  expect(Math.min(...channels.filter(({ state }) => state === 'failing').map(({ failed }) => failed))).toBe(75);
  expect(others).toMatchObject({ count: 25, attempts: 2500, troubled: 25 });
});
