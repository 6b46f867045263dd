import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type APIRequestContext,
  type Browser,
  type BrowserContext,
  expect,
  type Page,
  request as requests,
  test as base,
} from '@playwright/test';
import { startUpstream } from '../testing/upstream-simulator/start-upstream.ts';
import { followRequests } from './page-helpers.ts';

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..');

/** A server of its first start. */
export interface Hub {
  url: string;
  dataDir: string;
  pid: number;
  /** Printed by the first start. */
  rootPassword: string;
}

type Upstream = Awaited<ReturnType<typeof startUpstream>>;

/** Starts the server like `npm start` and reads its output; on a new data directory, or on an existing one. */
export async function startHub(
  filled?: { dataDir: string; rootPassword: string },
  env: Record<string, string> = {},
): Promise<Hub & { stop(): Promise<void> }> {
  const dataDir = filled?.dataDir ?? mkdtempSync(path.join(tmpdir(), 'relay-hub-e2e-'));
  const server = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: root,
    env: {
      ...process.env,
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: dataDir,
      DATABASE_URL: '',
      REDIS_URL: '',
      ROOT_PASSWORD: '',
      // Simulated services of the tests run on this machine.
      OUTBOUND_PRIVATE: 'allow',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const printed = await printedAddress(server);
  const rootPassword = filled?.rootPassword ?? /with the password\s+(\S+)/.exec(printed)?.[1];
  const url = /Relay Hub is at (http:\S+)/.exec(printed)?.[1];
  if (!rootPassword || !url) throw new Error(`the server did not say how to sign in:\n${printed}`);
  return {
    url,
    dataDir,
    pid: server.pid ?? 0,
    rootPassword,
    async stop() {
      const ended = new Promise((resolve) =>
        server.exitCode === null && server.signalCode === null ? server.once('exit', resolve) : resolve(0),
      );
      server.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function printedAddress(server: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    server.stdout?.on('data', (text: Buffer) => {
      printed += text.toString();
      if (printed.includes('Relay Hub is at')) resolve(printed);
    });
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${printed}`)));
  });
}

/**
 * Worker fixture with a separate server. Returns a new function each time: files that share a fixture share workers,
 * and with them the server.
 */
export const newHub =
  (env?: Record<string, string>) =>
  async ({}: object, use: (hub: Hub) => Promise<void>): Promise<void> => {
    const { stop, ...hub } = await startHub(undefined, env);
    await use(hub);
    await stop();
  };

/**
 * A page for all cases of a table, so that its scripts are loaded and compiled once. A case begins with `goto` and the
 * theme and size that it needs.
 */
const onePage =
  (isSignedIn: boolean) =>
  async ({ browser, hub }: { browser: Browser; hub: Hub }, use: (page: Page) => Promise<void>): Promise<void> => {
    const context = await browser.newContext({ baseURL: hub.url, locale: 'en-US' });
    followRequests(context);
    if (isSignedIn) await signIn(context, hub);
    await use(await context.newPage());
    await context.close();
  };

interface PerWorker {
  hub: Hub;
  upstream: Upstream;
  /** For tables of pages, with root signed in. */
  roots: Page;
  /** For tables of pages, signed out. */
  visitors: Page;
}

/** Tests with a hub and a simulated provider per worker. */
export const test = base.extend<object, PerWorker>({
  hub: [newHub(), { scope: 'worker' }],
  upstream: [
    async ({}, use) => {
      const upstream = await startUpstream({});
      await use(upstream);
      await upstream.close();
    },
    { scope: 'worker' },
  ],
  roots: [onePage(true), { scope: 'worker' }],
  visitors: [onePage(false), { scope: 'worker' }],
  baseURL: async ({ hub }, use) => use(hub.url),
  context: async ({ context }, use) => {
    followRequests(context);
    await use(context);
  },
  page: async ({ page }, use) => {
    await use(page);
    // A handler that still fetches when its test has ended is no fault of it.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  },
});

export { expect } from '@playwright/test';
export { withoutFirstReplies } from '../scripts/lib/browser.ts';

/** A request context with a separate session, by default root's. The caller disposes of it. */
export async function callsOf(
  hub: Hub,
  credentials = { username: 'root', password: hub.rootPassword },
): Promise<APIRequestContext> {
  const calls = await requests.newContext({ baseURL: hub.url });
  const answer = await calls.post('/api/user/login', { data: credentials });
  expect(await answer.json()).toMatchObject({ success: true });
  return calls;
}

/** Signs in without the form, by default as root. The form has its own test. */
export async function signIn(
  context: BrowserContext,
  hub: Hub,
  credentials = { username: 'root', password: hub.rootPassword },
): Promise<void> {
  const answer = await context.request.post(`${hub.url}/api/user/login`, { data: credentials });
  const reply = (await answer.json()) as { success: boolean; data: object };
  expect(reply).toMatchObject({ success: true });
  await context.addInitScript((user) => {
    // On the first page only: a test that signs out must stay signed out.
    if (!sessionStorage.getItem('signed-in')) localStorage.setItem('user', JSON.stringify(user));
    sessionStorage.setItem('signed-in', 'once');
  }, reply.data);
}
