import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from '@playwright/test';
import { run, say } from './run.ts';

const usual = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** Path of a Chromium: CHROMIUM_PATH, a usual location, or a fresh installation. Undefined if none is possible. */
export async function findChromium(): Promise<string | undefined> {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return existsSync(given) ? given : undefined;
  const found = [...usual, chromium.executablePath()].find((file) => existsSync(file));
  if (found) return found;
  await install();
  return [...usual, chromium.executablePath()].find((file) => existsSync(file));
}

/** Starts a headless Chromium without background requests. Throws if none is found. */
export async function launchChromium(...more: string[]): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', ...more],
  });
}

/** Removes the replies from a page, so that its first requests are sent and can be answered by the caller. */
export async function withoutFirstReplies(page: Page): Promise<void> {
  await page.route(
    ({ pathname }) => !/^\/(api|assets|icons)\//.test(pathname),
    async (route) => {
      if (route.request().resourceType() !== 'document') return route.fallback();
      const response = await route.fetch();
      const body = (await response.text()).replace(/(id="first-replies">)[^<]*/, '$1{}');
      return route.fulfill({ response, body });
    },
  );
}

/** The Debian package if possible, otherwise the download of Playwright. */
async function install(): Promise<void> {
  if (process.getuid?.() === 0 && spawnSync('apt-get', ['--version']).status === 0) {
    say('installing Chromium (apt-get install chromium)');
    const apt = (...args: string[]) =>
      spawnSync('apt-get', ['-qq', '-y', ...args], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      });
    apt('update');
    if (apt('install', '--no-install-recommends', 'chromium', 'fonts-noto-cjk').status === 0) return;
  }
  say('installing Chromium (playwright install chromium)');
  await run('playwright', ['install', 'chromium']);
}
