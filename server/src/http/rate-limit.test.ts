import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { openRateLimiter } from './rate-limit.ts';

const log = pino({ level: 'silent' });

describe('counters in this process', () => {
  afterEach(() => void vi.useRealTimers());

  test('let through what the limit allows, then tell how long to wait', async () => {
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

  test('tell how long to wait without counting', async () => {
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

  test('begin anew when the window is over, however often it was tried meanwhile', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limiter = await openRateLimiter(undefined, log);
    for (let i = 0; i < 50; i++) await limiter.hit('a', 1, 60);
    vi.setSystemTime(Date.now() + 60_000);
    expect(await limiter.hit('a', 1, 60)).toBe(0);
  });
});

const hasRedis = ((): boolean => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write('\n  NO REDIS: its tests are skipped. Install redis-server to run them.\n\n');
    return false;
  }
})();

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP port, so not a pipe's name
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe.skipIf(!hasRedis)('counters in Redis', () => {
  let redis: ChildProcess;
  let url: string;

  beforeAll(async () => {
    const port = await freePort();
    url = `redis://127.0.0.1:${port}`;
    redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await new Promise<void>((resolve, reject) => {
      redis.once('exit', () => reject(new Error('redis-server ended')));
      redis.stdout!.on('data', (said: Buffer) => said.includes('Ready to accept connections') && resolve());
    });
  });

  afterAll(async () => {
    if (redis.exitCode !== null) return;
    const ended = new Promise((resolve) => redis.once('exit', resolve));
    redis.kill();
    await ended;
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

  test('tell every node how long to wait, without counting', async () => {
    const [one, two] = [await openRateLimiter(url, log), await openRateLimiter(url, log)];
    for (let i = 0; i < 5; i++) expect(await two.wait('login:wait', 1)).toBe(0);
    expect(await one.hit('login:wait', 1, 60)).toBe(0);
    const wait = await two.wait('login:wait', 1);
    expect(wait).toBeGreaterThan(55);
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

  test('begin anew when the window is over', async () => {
    const limiter = await openRateLimiter(url, log);
    expect(await limiter.hit('short', 1, 1)).toBe(0);
    expect(await limiter.hit('short', 1, 1)).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1100));
    expect(await limiter.hit('short', 1, 1)).toBe(0);
    await limiter.close();
  });

  test('an unreachable Redis neither locks out nor lifts the limit', async () => {
    const limiter = await openRateLimiter(`redis://127.0.0.1:${await freePort()}`, log);
    expect(await limiter.hit('a', 2, 60)).toBe(0);
    expect(await limiter.hit('a', 2, 60)).toBe(0);
    expect(await limiter.wait('a', 2)).toBeGreaterThan(0);
    expect(await limiter.hit('a', 2, 60)).toBeGreaterThan(0);
    await limiter.close();
  });
});
