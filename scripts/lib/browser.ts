import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from '@playwright/test';
import { run, say } from './run.ts';

const shell = '/usr/bin/chromium-headless-shell';
const usual = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Path of the browser for tests: CHROMIUM_PATH, or the headless shell, in which a page starts with half the CPU time, or
 * a complete Chromium. Installs missing packages; undefined if that is impossible.
 */
export async function findChromium(): Promise<string | undefined> {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return existsSync(given) ? given : undefined;
  if (existsSync(shell) || installPackages('chromium-headless-shell', !usual.some((file) => existsSync(file))))
    return shell;
  return findComplete();
}

async function findComplete(): Promise<string | undefined> {
  const find = () => [...usual, chromium.executablePath()].find((file) => existsSync(file));
  const found = find();
  if (found || installPackages('chromium', true)) return find();
  say('installing Chromium (playwright install chromium)');
  await run('playwright', ['install', 'chromium']);
  return find();
}

/** Starts a complete headless Chromium without background requests. Throws if none is found. */
export async function launchChromium(...more: string[]): Promise<Browser> {
  const executablePath = process.env['CHROMIUM_PATH'] || (await findComplete());
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

/** Installs a Debian package of Chromium. Returns false where that is impossible. */
function installPackages(name: string, withFonts: boolean): boolean {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false;
  say(`installing Chromium (apt-get install ${name})`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-y', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=20', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt('update');
  const fonts = withFonts ? ['fonts-noto-cjk'] : [];
  return apt('install', '--no-install-recommends', name, ...fonts).status === 0;
}
