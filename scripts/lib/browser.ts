import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from '@playwright/test';
import { run, say } from './run.ts';

/** Chromium without the parts of a window: the browser tests take a quarter less time with it. */
const shell = '/usr/lib/chromium/chromium-headless-shell';

const usual = [
  shell,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/**
 * Path of a Chromium: CHROMIUM_PATH, a usual location, or a fresh installation. Undefined if none is possible. CI prefers
 * the headless shell over an installed Chromium.
 */
export async function findChromium(): Promise<string | undefined> {
  const given = process.env['CHROMIUM_PATH'];
  if (given) return existsSync(given) ? given : undefined;
  if (process.env['CI'] && existsSync('/usr/bin/chromium') && !existsSync(shell)) aptInstall('chromium-headless-shell');
  const found = [...usual, chromium.executablePath()].find((file) => existsSync(file));
  if (found) return found;
  await install();
  return [...usual, chromium.executablePath()].find((file) => existsSync(file));
}

/** Starts a headless Chromium without background requests. Throws if none is found. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
  return chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
  });
}

/** The Debian package if possible, otherwise the download of Playwright. */
async function install(): Promise<void> {
  if (aptInstall('chromium-headless-shell', 'fonts-noto-cjk') || aptInstall('chromium', 'fonts-noto-cjk')) return;
  say('installing Chromium (playwright install chromium)');
  await run('playwright', ['install', 'chromium']);
}

/** Whether packages were installed; false without apt or its rights. */
function aptInstall(...packages: string[]): boolean {
  if (process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return false;
  say(`installing ${packages.join(' ')}`);
  const apt = (...args: string[]) =>
    spawnSync('apt-get', ['-qq', '-y', ...args], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  apt('update');
  return apt('install', '--no-install-recommends', ...packages).status === 0;
}
