import { expect, test } from 'vitest';
import { cockpitOf } from './cockpit-of.ts';
import { HourSum } from './hour-sum.ts';

/** A state with these channels: attempts and failures of each, ids from 1. */
function stateOf(channels: [attempts: number, failed: number][], poor: number) {
  const sum = new HourSum();
  for (const [at, [attempts, failed]] of channels.entries())
    sum.channels.set(at + 1, { attempts, failed, kinds: new Map(), times: undefined });
  const hour = { sum, minutes: [], first: 0, count: 60, now: 3600, poor };
  return cockpitOf(hour, (id) => ({ name: `channel-${id}`, type: 1, frozenUntil: 0 }));
}

test('many failing channels are named up to a limit, the worst ones, and busy ones stay in sight', () => {
  const failing = Array.from({ length: 30 }, (_, at): [number, number] => [100, 50 + at]);
  const { channels, other_channels: others } = stateOf([[9000, 0], [8000, 1], ...failing], 95);
  expect(channels.map(({ state }) => state).toSorted()).toEqual([...Array(8).fill('failing'), 'well', 'well']);
  expect(Math.min(...channels.filter(({ state }) => state === 'failing').map(({ failed }) => failed))).toBe(72);
  expect(others).toMatchObject({ count: 22, attempts: 2200, troubled: 22 });
});

test('the limit of the site decides which channel is failing', () => {
  const states = (poor: number) =>
    stateOf(
      [
        [100, 8],
        [100, 3],
      ],
      poor,
    ).channels.map(({ state }) => state);
  expect(states(95)).toEqual(['failing', 'well']);
  expect(states(90)).toEqual(['well', 'well']);
  expect(states(98)).toEqual(['failing', 'failing']);
});
