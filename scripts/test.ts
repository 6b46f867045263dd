import { rmSync } from 'node:fs';
import path from 'node:path';
import { findChromium } from './lib/browser.ts';
import { buildConsole } from './lib/console.ts';
import { reports } from './checks/reports.ts';
import { run, runAll, say } from './lib/run.ts';

/**
 * The complete suite: static checks, unit and server tests on both databases, browser tests of the built console, and a
 * check that every test named in the documents ran.
 */
for (const report of Object.values(reports)) rmSync(report, { force: true });
await runAll([['check', 'node', 'scripts/check.ts']]);
await buildConsole();
await runAll([
  ['byte budgets', 'node', 'scripts/checks/budgets.ts'],
  ['tests', 'vitest', 'run', '--reporter=default', '--reporter=json', `--outputFile.json=${reports.vitest}`],
]);

const chromium = await findChromium();
if (chromium === undefined) {
  say('NO CHROMIUM: the browser tests are skipped. Set CHROMIUM_PATH, or install Chromium, to run them.');
  process.exit(process.env['CI'] ? 1 : 0);
}
say(`browser tests, with ${path.basename(chromium)}`);
const browser = await run(
  'playwright',
  ['test', '--config', 'e2e/playwright.config.ts', '--reporter', process.env['CI'] ? 'line,json' : 'list,json'],
  { env: { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_FILE: reports.playwright } },
);
if (browser !== 0) process.exit(browser);
await runAll([['named tests', 'node', 'scripts/checks/check-ran.ts']]);
