import { findChromium } from './lib/browser.ts';
import { buildConsole } from './lib/console.ts';
import { run } from './lib/run.ts';

/** Runs only the browser tests; arguments are passed to Playwright. */
await buildConsole();
const chromium = await findChromium();
if (chromium === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
const chosen = process.argv.slice(2);
// Tests that run alone depend on all others, which would run too.
if (chosen.length > 0) chosen.push('--no-deps');
process.exit(
  await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', ...chosen], {
    env: { CHROMIUM_PATH: chromium },
  }),
);
