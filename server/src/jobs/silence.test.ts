import { expect, test } from 'vitest';
import { Silence } from './silence.ts';

const BEAT_MS = 5_000;

/** A watcher whose clock the test moves; `row` is what another node last wrote. */
function watching(row: { id: string; seen_time: number }) {
  let nowMs = 1_000;
  const silence = new Silence(() => nowMs);
  return {
    row,
    pass: (ms: number) => (nowMs += ms),
    looksDead: () => silence.look([row]).has(row.id),
  };
}

test.each([0, -7_200, 7_200])('a node that beats lives, with its clock off by %i s', (off) => {
  const { row, pass, looksDead } = watching({ id: 'other', seen_time: 1_000_000 + off });
  for (let beat = 0; beat < 40; beat++) {
    expect(looksDead()).toBe(false);
    pass(BEAT_MS);
    row.seen_time += 5;
  }
});

test('a silent node is dead after a minute of observation, whatever its last heartbeat', () => {
  const { pass, looksDead } = watching({ id: 'other', seen_time: 9_999_999_999 });
  const after = Array.from({ length: 14 }, () => {
    const dead = looksDead();
    pass(BEAT_MS);
    return dead;
  });
  expect(after.indexOf(true)).toBe(13);
});

test('a node that could not observe starts over', () => {
  const { row, pass, looksDead } = watching({ id: 'other', seen_time: 5 });
  expect(looksDead()).toBe(false);
  // The database was unreachable for all nodes.
  pass(600_000);
  expect(looksDead()).toBe(false);
  pass(BEAT_MS);
  row.seen_time += 605;
  expect(looksDead()).toBe(false);
});
