import { defineConfig } from '@playwright/test';

/** Browser tests of the built console against the real server; each worker has a server of its own. */
export default defineConfig({
  testDir: '.',
  testMatch: '*.spec.ts',
  outputDir: './results',
  reporter: process.env['CI'] ? 'line' : 'list',
  forbidOnly: Boolean(process.env['CI']),
  // Pages wait more than they work, so three keep two cores busy; files begin in the order of their names, and so those
  // that leave something behind last.
  workers: 3,
  // A machine with too much to do may be late once, which is told as flaky; what fails twice is broken.
  retries: process.env['CI'] ? 1 : 0,
  timeout: 120_000,
  expect: { timeout: 15_000 },
  use: {
    viewport: { width: 1440, height: 900 },
    locale: 'en-US',
    // With what the page was at each step, which costs time: in CI only of what is tried again. A film costs far more.
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
      ],
    },
  },
});
