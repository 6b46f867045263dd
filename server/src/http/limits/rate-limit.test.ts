import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import pino from 'pino';
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '#testing/postgres-for-tests.ts';
import { hasRedis, redisForSuite } from '#testing/redis.ts';
import { until } from '#testing/until.ts';
import { openRateLimiter } from './rate-limit.ts';
import type { RateLimiter } from './rate-limiter.ts';

const log = pino({ level: 'silent' });
const usesRedis = (limiter: RateLimiter) => limiter.takeCall(1, 1) instanceof Promise;
const connected = (limiter: RateLimiter) => until('the limiter uses Redis', () => usesRedis(limiter));

describe('counters in this process', () => {
  afterEach(() => void vi.useRealTimers());

  test('allow as many as the limit, then return the time to wait', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = await openRateLimiter(undefined, log);
    for (let i = 0; i < 3; i++) expect(await limiter.hit('login:a', 3, 60)).toBe(0);
    expect(await limiter.hit('login:a', 3, 60)).toBe(60);
    vi.setSystemTime(Date.now() + 45_500);
    expect(await limiter.hit('login:a', 3, 60)).toBe(15);
  });

  test('count each name for itself', async () => {
    const limiter = await openRateLimiter(undefined, log);
    expect(await limiter.hit('a', 1, 60)).toBe(0);
    expect(await limiter.hit('b', 1, 60)).toBe(0);
    expect(await limiter.hit('a', 1, 60)).toBeGreaterThan(0);
  });

  test('can be taken back one by one, never below none', async () => {
    const limiter = await openRateLimiter(undefined, log);
    await limiter.takeBack('a');
    expect(await limiter.hit('a', 1, 60)).toBe(0);
    await limiter.takeBack('a');
    expect(await limiter.hit('a', 1, 60)).toBe(0);
    expect(await limiter.hit('a', 1, 60)).toBeGreaterThan(0);
  });

  test('return the time to wait without counting', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = await openRateLimiter(undefined, log);
    for (let i = 0; i < 5; i++) expect(await limiter.wait('a', 2)).toBe(0);
    await limiter.hit('a', 2, 60);
    expect(await limiter.wait('a', 2)).toBe(0);
    await limiter.hit('a', 2, 60);
    expect(await limiter.wait('a', 2)).toBe(60);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await limiter.wait('a', 2)).toBe(0);
  });

  test('restart after the window, regardless of attempts meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = await openRateLimiter(undefined, log);
    for (let i = 0; i < 50; i++) await limiter.hit('a', 1, 60);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await limiter.hit('a', 1, 60)).toBe(0);
  });
});

describe.skipIf(!hasRedis)('counters in Redis', () => {
  const redis = redisForSuite();
  let url: string;

  beforeAll(() => {
    url = redis().url;
  });

  test('are shared by all nodes', async () => {
    const [one, two] = [await openRateLimiter(url, log), await openRateLimiter(url, log)];
    const waits = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? one : two).hit('login:shared', 5, 60)),
    );
    expect(waits.filter((wait) => wait === 0)).toHaveLength(5);
    for (const wait of waits) expect(wait).toBeLessThanOrEqual(60);
    await Promise.all([one.close(), two.close()]);
  });

  test('return the time to wait on every node, without counting', async () => {
    const [one, two] = [await openRateLimiter(url, log), await openRateLimiter(url, log)];
    for (let i = 0; i < 5; i++) expect(await two.wait('login:wait', 1)).toBe(0);
    expect(await one.hit('login:wait', 1, 60)).toBe(0);
    const wait = await two.wait('login:wait', 1);
    expect(wait).toBeGreaterThan(30);
    expect(wait).toBeLessThanOrEqual(60);
    await Promise.all([one.close(), two.close()]);
  });

  test('can be taken back on any node', async () => {
    const [one, two] = [await openRateLimiter(url, log), await openRateLimiter(url, log)];
    await one.takeBack('login:back');
    expect(await one.hit('login:back', 1, 60)).toBe(0);
    await two.takeBack('login:back');
    expect(await one.hit('login:back', 1, 60)).toBe(0);
    expect(await two.hit('login:back', 1, 60)).toBeGreaterThan(0);
    await Promise.all([one.close(), two.close()]);
  });

  test('restart after the window, regardless of attempts meanwhile', async () => {
    const limiter = await openRateLimiter(url, log);
    const client = new Redis(url);
    expect(await limiter.hit('short', 1, 60)).toBe(0);
    await client.expire('relay-hub:limit:short', 30);
    const wait = await limiter.hit('short', 1, 60);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(30);
    await client.pexpire('relay-hub:limit:short', 1);
    await until('the window is over', async () => (await client.exists('relay-hub:limit:short')) === 0);
    expect(await limiter.hit('short', 1, 60)).toBe(0);
    expect(await limiter.hit('short', 1, 60)).toBeGreaterThan(0);
    client.disconnect();
    await limiter.close();
  });

  test.each([3, 600])('%i calls a minute: two nodes together allow as many as one node', async (limit) => {
    const [one, two] = [await openRateLimiter(url, log), await openRateLimiter(url, log)];
    await Promise.all([connected(one), connected(two)]);
    const startMs = performance.now();
    const rates = await Promise.all(
      Array.from({ length: 300 }, (_, i) => Promise.resolve((i % 2 ? one : two).takeCall(limit, limit))),
    );
    const passed = rates.filter(({ waitMs }) => waitMs === 0);
    const burst = limit === 3 ? 3 : 100;
    // The refill that happens meanwhile on a slow machine.
    const refilled = limit === 3 ? 0 : Math.ceil(((performance.now() - startMs) * limit) / 60_000);
    expect(passed.length).toBeGreaterThanOrEqual(burst);
    expect(passed.length).toBeLessThanOrEqual(burst + refilled);
    expect(Math.max(...passed.map(({ remaining }) => remaining))).toBe(burst - 1);
    const late = rates.filter(({ waitMs }) => waitMs > 0);
    for (const { resetMs } of rates) expect(resetMs).toBeGreaterThan(0);
    for (const { waitMs, remaining, resetMs } of late) {
      expect(resetMs).toBeGreaterThanOrEqual(waitMs);
      expect(remaining).toBe(0);
      expect(waitMs).toBeLessThanOrEqual(limit === 3 ? 60_000 : 100);
    }
    await Promise.all([one.close(), two.close()]);
  });

  test('used allowance refills evenly', async () => {
    const limiter = await openRateLimiter(url, log);
    await connected(limiter);
    const startMs = performance.now();
    let passed = 0;
    let waits = 0;
    while (waits < 5) {
      const { waitMs } = await limiter.takeCall(7, 600);
      if (waitMs === 0) passed++;
      else waits++;
      await sleep(waitMs);
    }
    expect(passed).toBeGreaterThan(100);
    // A call each 100 ms after the first hundred, however slowly this test is run.
    expect(passed).toBeLessThanOrEqual(101 + (performance.now() - startMs) / 100);
    await limiter.close();
  });

  test('without Redis each node counts for itself, logs it once, and returns to Redis later', async () => {
    const said: string[] = [];
    const telling = pino({ level: 'info' }, { write: (line: string) => void said.push(line) });
    const limiter = await openRateLimiter(url, telling);
    await connected(limiter);
    await redis().stop();
    await until('the limiter has lost Redis', () => !usesRedis(limiter));
    const alone = Array.from({ length: 20 }, () => limiter.takeCall(8, 5));
    expect(alone.filter((rate) => !(rate instanceof Promise) && rate.waitMs === 0)).toHaveLength(5);
    // Each ends with a failed attempt to connect.
    for (let i = 0; i < 4; i++) await limiter.hit('lost', 10, 60);
    expect(said.filter((line) => line.includes('not reachable'))).toHaveLength(1);
    await redis().start();
    await connected(limiter);
    expect(said.filter((line) => line.includes('reachable again'))).toHaveLength(1);
    await limiter.close();
  });

  test('an unreachable Redis neither blocks everyone nor removes the limit', async () => {
    const limiter = await openRateLimiter(`redis://127.0.0.1:${await freePort()}`, log);
    expect(await limiter.hit('a', 2, 60)).toBe(0);
    expect(await limiter.hit('a', 2, 60)).toBe(0);
    expect(await limiter.wait('a', 2)).toBeGreaterThan(0);
    expect(await limiter.hit('a', 2, 60)).toBeGreaterThan(0);
    await limiter.close();
  });
});
