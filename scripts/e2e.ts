import { findChromium } from './lib/browser.ts';
import { buildConsole } from './lib/console.ts';
import { run } from './lib/run.ts';

/** Runs only the browser tests; arguments are passed to Playwright. */
await buildConsole();
const chromium = await findChromium();
if (chromium === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
process.exit(
  await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', ...process.argv.slice(2)], {
    env: { CHROMIUM_PATH: chromium },
  }),
);
