import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { oneOf, readCommand, whole } from '../server/src/process/command-line.ts';
import { failedTests } from './checks/reports.ts';
import { run, say } from './lib/run.ts';

const { runs, level, others } = readCommand({
  name: 'tool flaky',
  about:
    'Repeats the tests of `npm test`, or chosen files, while all cores are busy; lists tests that failed at least once.',
  others: '[files]',
  options: {
    runs: whole('<number>', 'default: 10', 10, 1),
    level: oneOf(['short', 'long'], 'which tests; default: short'),
  },
});

const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-flaky-'));
const load = Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ['-e', 'for (;;);']));
process.on('exit', () => {
  for (const each of load) each.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1));

const failures = new Map<string, number>();
for (let made = 1; made <= runs; made++) {
  const report = path.join(folder, `${made}.json`);
  const arguments_ = ['run', ...others, '--reporter=json', `--outputFile=${report}`];
  await run('vitest', arguments_, { env: { TEST_LEVEL: level } });
  const failed = failedTests(report);
  for (const test of failed) failures.set(test, (failures.get(test) ?? 0) + 1);
  say(`run ${made} of ${runs}: ${failed.length} failed`);
}
for (const [test, times] of failures) process.stdout.write(`${times} of ${runs}: ${test}\n`);
say(failures.size === 0 ? `no test failed in ${runs} runs` : `${failures.size} tests failed at least once`);
process.exitCode = failures.size === 0 ? 0 : 1;
