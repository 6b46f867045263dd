import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { flag, readCommand } from '../server/src/process/command-line.ts';
import { type Level, reportOf } from './checks/reports.ts';
import { findChromium } from './lib/browser.ts';
import { buildConsole } from './lib/console.ts';
import { run, runAll, say } from './lib/run.ts';
import { printSlowest } from './test-times.ts';

const { long } = readCommand({
  name: 'test',
  about:
    'Runs static checks, unit and server tests, and the core journeys in the browser. With --long, which is ' +
    '`npm run test:long`: everything else, and a check that each test named in the documents ran in one of the two.',
  options: { long: flag('the other tests') },
});
const level: Level = long ? 'long' : 'short';
/** Twice the time of an idle machine with two cores, in minutes: a run in CI that takes longer fails. */
const BUDGET_MIN = { short: 24, long: 50 }[level];

const startedMs = Date.now();
const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-reports-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
const reports = { vitest: path.join(folder, 'vitest.json'), playwright: path.join(folder, 'playwright.json') };

if (level === 'short') await runAll([['check', 'node', 'scripts/check.ts']]);
await buildConsole();
if (level === 'short') await runAll([['byte budgets', 'node', 'scripts/checks/budgets.ts']]);

say(`tests (${level})`);
const tests = await run(
  'vitest',
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reports.vitest}`],
  { env: { TEST_LEVEL: level } },
);
if (tests !== 0) process.exit(tests);

if (level === 'long') await runAll([['other days and zones', 'node', 'scripts/clocks.ts', '--brief']]);

const chromium = await findChromium();
if (chromium === undefined) {
  say('NO CHROMIUM: the browser tests are skipped. Set CHROMIUM_PATH, or install Chromium, to run them.');
  process.exit(process.env['CI'] ? 1 : 0);
}
say(`browser tests (${level}), with ${path.basename(chromium)}`);
const project = level === 'short' ? 'core' : 'long';
const browser = await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', '--project', project], {
  env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright },
});
if (browser !== 0) process.exit(browser);

mkdirSync(path.dirname(reportOf('vitest', level)), { recursive: true });
copyFileSync(reports.vitest, reportOf('vitest', level));
copyFileSync(reports.playwright, reportOf('playwright', level));
if (level === 'long') await runAll([['named tests', 'node', 'scripts/checks/check-ran.ts']]);

const minutes = (Date.now() - startedMs) / 60_000;
say(`${level === 'short' ? 'npm test' : 'npm run test:long'} took ${minutes.toFixed(1)} minutes`);
if (minutes > BUDGET_MIN && process.env['CI']) {
  say(`this is more than its budget of ${BUDGET_MIN} minutes. The slowest files:`);
  printSlowest(level, 20);
  process.exit(1);
}
