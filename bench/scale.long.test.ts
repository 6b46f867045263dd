import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, inject, test } from 'vitest';
import '../testing/databases.ts';

const run = promisify(execFile);

test.skipIf(inject('postgresUrl') === '')(
  'calls of 400 users on PostgreSQL take about as many statements as calls of one, and none is lost or doubled',
  async () => {
    const short = [
      '--users',
      '1,400',
      '--nodes',
      '1',
      '--trips',
      '1',
      '--seconds',
      '3',
      '--rate',
      '200',
      '--burst',
      '1500',
    ];
    const { stdout } = await run(process.execPath, [
      path.join(import.meta.dirname, 'scale.ts'),
      ...short,
      '--no-sqlite',
      '--gate',
    ]).catch((error: { stdout: string }) => error);
    expect(stdout).toMatch(/\| PostgreSQL \| 400 \|/);
    expect(stdout).not.toMatch(/^(gate|PostgreSQL): /m);
  },
  60_000,
);
