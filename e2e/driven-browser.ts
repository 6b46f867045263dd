import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { desk } from './parts.ts';

/**
 * Browsers of Debian's packages, driven by WebDriver: Playwright brings its own builds of them, which registries do not
 * have. Firefox by WebDriver BiDi (https://w3c.github.io/webdriver-bidi/), WebKitGTK by its driver
 * (https://w3c.github.io/webdriver/).
 */
export interface DrivenBrowser {
  goto(address: string): Promise<void>;
  /** The value of an expression of the page, as JSON. */
  evaluate(expression: string): Promise<unknown>;
  /** Input as both protocols describe it. */
  perform(actions: object[]): Promise<void>;
  close(): Promise<void>;
}

const firefox = '/usr/bin/firefox-esr';
const webkitDriver = '/usr/bin/WebKitWebDriver';
const miniBrowser = '/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser';

/** By name; undefined where a package is missing. */
export const drivenBrowsers = {
  Firefox: existsSync(firefox) ? driveFirefox : undefined,
  WebKit: [webkitDriver, miniBrowser, '/usr/bin/Xvfb'].every((file) => existsSync(file)) ? driveWebKit : undefined,
};

async function driveFirefox(): Promise<DrivenBrowser> {
  const profile = mkdtempSync(path.join(tmpdir(), 'relay-hub-firefox-'));
  const own = spawn(
    firefox,
    ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port=0', 'about:blank'],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const address = await printed(own, /listening on (ws:\S+)/);
  const socket = new WebSocket(`${address}/session`);
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', reject);
  });
  const waiting = new Map<number, (reply: BidiReply) => void>();
  socket.addEventListener('message', ({ data }) => {
    const reply = JSON.parse(String(data)) as BidiReply;
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  let last = 0;
  const send = (method: string, params: object): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ type, message, result = {} }) =>
        type === 'error' ? reject(new Error(`${method}: ${message}`)) : resolve(result),
      );
      socket.send(JSON.stringify({ id: last, method, params }));
    });
  await send('session.new', { capabilities: {} });
  const { contexts } = (await send('browsingContext.getTree', {})) as { contexts: { context: string }[] };
  const context = contexts[0]?.context;
  await send('browsingContext.setViewport', { context, viewport: desk });
  return {
    async goto(url) {
      await send('browsingContext.navigate', { context, url, wait: 'complete' });
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = (await send('script.evaluate', {
        expression: `(async () => JSON.stringify(await (${expression})) ?? 'null')()`,
        target: { context },
        awaitPromise: true,
      })) as { result?: { value: string }; exceptionDetails?: { text: string } };
      if (!result) throw new Error(exceptionDetails?.text);
      return JSON.parse(result.value) as unknown;
    },
    async perform(actions) {
      await send('input.performActions', { context, actions });
    },
    async close() {
      socket.close();
      await ended(own);
      rmSync(profile, { recursive: true, force: true });
    },
  };
}

interface BidiReply {
  id: number;
  type: string;
  message?: string;
  result?: Record<string, unknown>;
}

/** WebKitGTK needs a display, so it gets a virtual one. */
async function driveWebKit(): Promise<DrivenBrowser> {
  const screen = spawn('/usr/bin/Xvfb', ['-displayfd', '1', '-screen', '0', '1600x1100x24'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const display = await printed(screen, /^(\d+)/);
  const port = await freePort();
  const driver = spawn(webkitDriver, [`--port=${port}`], {
    // Containers forbid the namespaces of its sandbox.
    env: { ...process.env, DISPLAY: `:${display}`, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
    stdio: 'ignore',
  });
  const ask = async (method: string, address: string, body?: object): Promise<unknown> => {
    const response = await fetch(`http://127.0.0.1:${port}/session${address}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await response.json()) as { value: { message?: string } };
    if (!response.ok) throw new Error(`${method} ${address}: ${value.message}`);
    return value;
  };
  const options = { binary: miniBrowser, args: ['--automation'] };
  const start = { capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': options } } };
  const { sessionId } = (await untilUp(() => ask('POST', '', start))) as { sessionId: string };
  await ask('POST', `/${sessionId}/window/rect`, { width: desk.width, height: desk.height + 100 });
  return {
    async goto(url) {
      await ask('POST', `/${sessionId}/url`, { url });
    },
    evaluate: (expression) => ask('POST', `/${sessionId}/execute/sync`, { script: `return ${expression}`, args: [] }),
    async perform(actions) {
      await ask('POST', `/${sessionId}/actions`, { actions });
    },
    async close() {
      await ended(driver);
      await ended(screen);
    },
  };
}

/** The first group of a pattern in what a process prints. */
function printed(process: ChildProcess, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    for (const output of [process.stdout, process.stderr])
      output?.on('data', (text: Buffer) => {
        const found = pattern.exec(text.toString())?.[1];
        if (found) resolve(found);
      });
    process.once('exit', (code) => reject(new Error(`${process.spawnfile} ended with ${code}`)));
  });
}

function ended(process: ChildProcess): Promise<unknown> {
  const gone = new Promise((resolve) => process.once('exit', resolve));
  process.kill();
  return gone;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens at an address, not at a file
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The driver prints nothing once it listens. */
async function untilUp<T>(ask: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (attempt === 100 || !(error instanceof TypeError)) throw error;
      await wait(100);
    }
  }
}
