import { defineConfig } from '@playwright/test';

/** A host name of this machine for browsers. Unlike a loopback address it is not a secure context over HTTP. */
export const LAN_HOST = 'hub.lan';

/** Browser tests of the built console against the real server; each worker has its own server. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: './results',
  reporter: process.env['CI'] ? 'line' : 'list',
  forbidOnly: Boolean(process.env['CI']),
  // Pages mostly wait, so three workers keep two cores busy. Files start in alphabetical order, so those that leave
  // changes behind come last.
  workers: 3,
  // A test that measures time runs after all others, alone.
  projects: [
    { name: 'browser', grepInvert: /@alone/ },
    { name: 'alone', grep: /@alone/, dependencies: ['browser'] },
  ],
  // An overloaded machine may be late once, which is reported as flaky; a test that fails twice is broken.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    // Snapshots of each step cost time: in CI they are taken for retries only. Screenshots cost far more.
    trace: { mode: process.env['CI'] ? 'on-first-retry' : 'retain-on-failure', screenshots: false },
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
