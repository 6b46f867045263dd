import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { flag, readCommand } from '../server/src/process/command-line.ts';
import { failedTests } from './checks/reports.ts';
import { run, say } from './lib/run.ts';

const { brief, others } = readCommand({
  name: 'tool clocks',
  about:
    'Runs the tests of `npm test`, or chosen files, on other days and in other time zones, with the program faketime.',
  others: '[files]',
  options: { brief: flag('suites about days, months and age, on two clocks; part of `npm run test:long`') },
});

const briefly = [
  { offset: endOfMonth(), zone: 'America/Los_Angeles' },
  { offset: '+400d', zone: 'Asia/Kolkata' },
];
const clocks = [
  { offset: '+1d', zone: 'America/St_Johns' },
  { offset: '+8d', zone: 'Pacific/Auckland' },
  { offset: '+40d', zone: 'Asia/Shanghai' },
  ...briefly,
];

/** Suites whose results depend on the date. */
const dated = [
  'server/src/features/analytics',
  'server/src/features/dashboard',
  'server/src/features/order',
  'server/src/quota',
  'server/src/roll-ups',
  'server/src/start/earlier-databases',
];

if (spawnSync('faketime', ['--version']).error) {
  say('NO FAKETIME: the tests on other days are skipped. Install the package faketime to run them.');
  process.exit(process.env['CI'] ? 1 : 0);
}
const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-clocks-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
/** The library that a program loads to see another time. */
const library = spawnSync('faketime', ['-f', '+0d', 'printenv', 'LD_PRELOAD'], { encoding: 'utf8' }).stdout.trim();

if (!/^\S+\.so[.\d]*$/.test(library)) throw new Error(`faketime names no library: ${library}`);

let failures = 0;
for (const { offset, zone } of brief ? briefly : clocks) {
  const report = path.join(folder, `${zone.replace('/', '-')}.json`);
  const files = brief ? dated : others;
  // Timeouts and the order of events follow the monotonic clock, which stays real.
  const env = { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1', TZ: zone };
  const status = await run('vitest', ['run', ...files, '--reporter=json', `--outputFile=${report}`], {
    env: { ...env, TEST_LEVEL: 'short' },
  });
  const failed = status === 0 ? [] : failedTests(report);
  for (const test of failed) process.stdout.write(`${offset} ${zone}: ${test}\n`);
  say(`${offset} in ${zone}: ${failed.length} failed`);
  failures += status === 0 ? 0 : 1;
}
process.exitCode = failures === 0 ? 0 : 1;

/** Offset to ten minutes before the end of this month, UTC. */
function endOfMonth(): string {
  const now = new Date();
  const end = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1) - 10 * 60_000;
  return `+${Math.round((end - now.getTime()) / 1000)}`;
}
