import { flag, readCommand, text, whole } from '../server/src/process/command-line.ts';
import { findChromium } from './lib/browser.ts';
import { buildConsole } from './lib/console.ts';
import { run } from './lib/run.ts';

readCommand({
  name: 'e2e',
  about: 'Runs only the browser tests, or those of some files. The options are those of Playwright.',
  others: '[e2e/<name>.spec.ts…]',
  options: {
    grep: text('<pattern>', 'only tests whose names match', undefined),
    'repeat-each': whole('<number>', 'run each test so many times', undefined),
    workers: whole('<number>', 'tests at once', undefined),
    retries: whole('<number>', 'times that a failed test is repeated', undefined),
    reporter: text('<name>', 'form of the output', undefined),
    trace: text('<when>', 'record traces: on, off, retain-on-failure', undefined),
    headed: flag('show the browser'),
    debug: flag('step through the tests'),
    ui: flag('open the interface of Playwright'),
  },
});

await buildConsole();
const chromium = await findChromium();
if (chromium === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
process.exit(
  await run('playwright', ['test', '--config', 'e2e/playwright.config.ts', ...process.argv.slice(2)], {
    env: { CHROMIUM_PATH: chromium },
  }),
);
