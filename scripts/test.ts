import path from 'node:path';
import { findChromium } from './lib-browser.ts';
import { buildConsole } from './lib-console.ts';
import { run, runAll, say } from './lib-run.ts';

/** The whole suite: checks, unit and server tests on both databases, and the browser on the built console. */
await runAll([['check', 'node', 'scripts/check.ts']]);
await buildConsole();
await runAll([
  ['byte budgets', 'node', 'scripts/budgets.ts'],
  ['tests', 'vitest', 'run'],
]);

const chromium = await findChromium();
if (chromium === undefined) {
  say('NO CHROMIUM: the browser tests are skipped. Set CHROMIUM_PATH, or install Chromium, to run them.');
  process.exit(process.env['CI'] ? 1 : 0);
}
say(`browser tests, with ${path.basename(chromium)}`);
process.exit(
  await run('playwright', ['test', '--config', 'e2e/playwright.config.ts'], { env: { CHROMIUM_PATH: chromium } }),
);
