import { expect, test } from 'vitest';
import { Mutex } from './mutex.ts';

test('one holder at a time, first come, first served', async () => {
  const mutex = new Mutex();
  const order: string[] = [];
  let inside = 0;
  const enter = async (name: number, turns: number) => {
    const release = await mutex.take();
    expect(++inside).toBe(1);
    for (let i = 0; i < turns; i++) await new Promise(setImmediate);
    order.push(String(name));
    inside--;
    release();
  };
  await Promise.all(Array.from({ length: 50 }, (_, i) => enter(i, i % 3)));
  expect(order).toEqual(Array.from({ length: 50 }, (_, i) => String(i)));
});

test('a request made while the next holder is entering still waits', async () => {
  const mutex = new Mutex();
  const first = await mutex.take();
  const entered: string[] = [];
  const second = mutex.take().then((release) => {
    entered.push('second');
    return release;
  });
  first();
  const third = mutex.take().then(() => entered.push('third'));
  const release = await second;
  await new Promise(setImmediate);
  expect(entered).toEqual(['second']);
  release();
  await third;
  expect(entered).toEqual(['second', 'third']);
});

test('waiting ones are refused at once, and later ones enter after the holder', async () => {
  const mutex = new Mutex();
  const release = await mutex.take();
  const refused = Promise.allSettled([mutex.take(), mutex.take()]);
  mutex.refuseWaiting(new Error('locked'));
  const entered: string[] = [];
  const later = mutex.take().then((end) => {
    entered.push('later');
    return end();
  });
  expect(await refused).toMatchObject([{ reason: { message: 'locked' } }, { reason: { message: 'locked' } }]);
  expect(entered).toEqual([]);
  release();
  await later;
  (await mutex.take())();
});

test('a free mutex is taken without waiting', async () => {
  const mutex = new Mutex();
  for (let i = 0; i < 3; i++) (await mutex.take())();
  expect(
    await Promise.race([mutex.take().then(() => 'in'), new Promise((resolve) => setImmediate(resolve, 'waits'))]),
  ).toBe('in');
});
