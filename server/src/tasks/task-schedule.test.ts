import { expect, test } from 'vitest';
import { nextPollAt, requestsPerS, turnsIn } from './task-schedule.ts';

const HOUR_S = 3600;
const START = 1_800_000_000;
const OPEN = 10_000;

interface OpenTask {
  submit_ms: number;
  channel_id: number;
  deadline: number;
  next: number;
  seen: number;
}

/** Tasks of one channel that were submitted within some seconds before the start. */
const openTasks = (count: number, [youngest, oldest]: readonly [number, number]): OpenTask[] =>
  Array.from({ length: count }, (_, n) => {
    const age = youngest + (n * (oldest - youngest)) / count;
    const submit_ms = (START - Math.floor(age)) * 1000;
    const task = { submit_ms, channel_id: 3, deadline: START + 9 * HOUR_S };
    return { ...task, next: nextPollAt(task, START), seen: START };
  });

const BATCH = 100;

test.each([
  [5, 0, 50],
  [10, 60, 165],
  [20, 180, 575],
  [60, 600, 1135],
  [120, 1200, 1675],
  [240, 1800, HOUR_S],
])('tasks due every %i s share their requests: as few as they fill batches', (pause, youngest, oldest) => {
  for (const count of [1, BATCH, 10_000]) {
    const tasks = openTasks(count, [youngest, oldest]);
    let requests = 0;
    for (let now = START + 1; now <= START + pause; now++) {
      const due = tasks.filter(({ next }) => next <= now);
      requests += Math.ceil(due.length / BATCH);
      for (const task of due) task.next = nextPollAt(task, now);
    }
    expect(requests).toBe(Math.ceil(count / BATCH));
  }
});

test.each([1, 600, 1040, OPEN])('%i tasks one by one: at the set rate, and each within five minutes', (count) => {
  const tasks = openTasks(count, [0, HOUR_S]);
  const perRound = turnsIn(2000, count);
  expect(requestsPerS(count)).toBe(count === OPEN ? 49 : 5);
  expect(perRound).toBeLessThanOrEqual(requestsPerS(count) * 2);
  let longest = 0;
  for (let now = START; now < START + 1800; now += 2) {
    const due = tasks.filter(({ next }) => next <= now).toSorted((a, b) => a.next - b.next);
    for (const task of due.slice(0, perRound)) {
      longest = Math.max(longest, now - task.seen);
      task.seen = now;
      task.next = nextPollAt(task, now, { openAlone: count });
    }
    longest = Math.max(longest, ...tasks.map(({ seen }) => now - seen));
  }
  expect(longest).toBeLessThanOrEqual(300);
});

test('pauses grow with age and with unanswered polls, up to four minutes, and end at the deadline', () => {
  const pauses = (age: number, strain = {}): number => {
    const task = { submit_ms: (START - age) * 1000, channel_id: 0, deadline: START + 9 * HOUR_S };
    const aligned = START - (START % 240);
    return nextPollAt(task, aligned, strain) - aligned;
  };
  expect([0, 100, 400, 1000, 1500, 9000].map((age) => pauses(age + 240))).toEqual([20, 20, 60, 120, 120, 240]);
  expect([0, 1, 2, 3, 4, 5, 99].map((backOff) => pauses(240, { backOff }))).toEqual([20, 60, 120, 240, 240, 240, 240]);
  const ending = { submit_ms: START * 1000, channel_id: 0, deadline: START + 3 };
  expect(nextPollAt(ending, START)).toBe(START + 3);
  expect(nextPollAt({ ...ending, deadline: 0 }, START)).toBe(START + 1);
});
