import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from './postgres-for-tests.ts';

export const hasRedis = ((): boolean => {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write('\n  NO REDIS: its tests are skipped. Install redis-server to run them.\n\n');
    return false;
  }
})();

export interface TestRedis {
  url: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** A separate Redis for a suite. */
export function redisForSuite(): () => TestRedis {
  let redis: TestRedis;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());
  return () => redis;
}

async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess | undefined;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
      const started = spawn('redis-server', args, { stdio: ['ignore', 'pipe', 'ignore'] });
      child = started;
      await new Promise<void>((resolve, reject) => {
        started.once('exit', () => reject(new Error('redis-server ended')));
        started.stdout.on('data', (chunk: Buffer) => chunk.includes('Ready to accept connections') && resolve());
      });
    },
    async stop() {
      if (!child || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child!.once('exit', resolve));
      child.kill();
      await ended;
    },
  };
  await redis.start();
  return redis;
}
