import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { chromium } from '@playwright/test';
import { findChromium } from './lib-browser.ts';
import { buildConsole } from './lib-console.ts';
import { root, run } from './lib-run.ts';

/** Takes the README's pictures of the built console: a real server over a week of seeded calls. */
const password = 'a-password-for-pictures';
const dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-pictures-'));
const env = {
  ...process.env,
  DATA_DIR: dataDir,
  DATABASE_URL: '',
  ROOT_PASSWORD: password,
  PORT: '0',
  HOST: '127.0.0.1',
  LOG_LEVEL: 'warn',
};

await buildConsole();
if ((await run('node', ['scripts/seed.ts'], { env })) !== 0) throw new Error('seeding failed');
const server = spawn(process.execPath, ['server/src/main.ts'], {
  cwd: root,
  env,
  stdio: ['ignore', 'pipe', 'inherit'],
});
const url = await new Promise<string>((resolve) => {
  server.stdout.on('data', (text: Buffer) => {
    const address = /Relay Hub is at (http:\S+)/.exec(text.toString())?.[1];
    if (address) resolve(address);
  });
});

const executablePath = await findChromium();
if (executablePath === undefined) throw new Error('no Chromium was found; set CHROMIUM_PATH');
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
});
const folder = path.join(root, 'docs/pictures');
mkdirSync(folder, { recursive: true });

const pictures: [name: string, address: string, width: number, height: number, theme: 'light' | 'dark'][] = [
  ['dashboard', '/panel/dashboard', 1440, 900, 'light'],
  ['log-detail', '/panel/log?id=3990', 1440, 900, 'dark'],
];
for (const [name, address, width, height, theme] of pictures) {
  const context = await browser.newContext({ viewport: { width, height }, baseURL: url });
  const answer = await context.request.post('/api/user/login', { data: { username: 'root', password } });
  const { data } = (await answer.json()) as { data: object };
  await context.addInitScript(
    (stored: Record<string, string>) => {
      for (const [key, value] of Object.entries(stored)) localStorage.setItem(key, value);
    },
    { user: JSON.stringify(data), theme, appLanguage: 'en_US' },
  );
  const page = await context.newPage();
  await page.goto(address);
  await page.getByRole('heading').first().waitFor();
  await page.waitForTimeout(2500); // charts and drawers come when they are first wanted
  await page.screenshot({ path: path.join(folder, `${name}.png`) });
  await context.close();
}
await browser.close();
server.kill('SIGTERM');
await new Promise((resolve) => server.once('exit', resolve));
rmSync(dataDir, { recursive: true, force: true });
