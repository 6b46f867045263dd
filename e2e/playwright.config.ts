import { defineConfig } from '@playwright/test';
import { desk } from './parts.ts';

/**
 * Files of level `core`, which `npm test` runs: what users and operators cannot do without. All other files are level
 * `long`: every page, overlay and list, and the rarer paths.
 */
const core = [
  'every-gateway',
  'figures',
  'first-five-minutes',
  'playground',
  'prices',
  'redemption',
  'refused-calls',
  'registration',
  'same-numbers',
  'second-factor',
  'settings',
  'token-keys',
  'users',
  'work-on-channels',
  'xss-stored',
].map((name) => `${name}.spec.ts`);

const isCi = Boolean(process.env['CI']);
const report = process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'];

/** A host name of this machine for browsers. Unlike a loopback address it is not a secure context over HTTP. */
export const LAN_HOST = 'hub.lan';

/** Browser tests of the built console against the real server; each worker has its own server. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: './results',
  reporter: [
    [isCi ? 'line' : 'list'],
    ['./second-runs.ts'],
    ...(report ? [['json', { outputFile: report }] as const] : []),
  ],
  forbidOnly: isCi,
  // Pages often wait, so four workers keep two cores busy.
  workers: 4,
  projects: [
    { name: 'core', testMatch: core },
    { name: 'long', testIgnore: core },
  ],
  // An overloaded machine may be late once. A test that needed its second run is printed as a fault.
  retries: isCi ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  use: {
    viewport: desk,
    locale: 'en-US',
    // Snapshots of each step cost time, so only a second run takes them; `--trace on` takes them at once.
    trace: { mode: 'on-first-retry', screenshots: false },
    launchOptions: {
      ...(process.env['CHROMIUM_PATH'] && { executablePath: process.env['CHROMIUM_PATH'] }),
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--no-first-run',
        `--host-resolver-rules=MAP ${LAN_HOST} 127.0.0.1`,
      ],
    },
  },
});
