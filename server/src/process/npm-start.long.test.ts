import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { addChannel, addToken, ApiClient, ROOT_PASSWORD, upstreamForSuite } from '#testing/hub.ts';
import { clientOf, hello } from '#testing/relay-calls.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const upstream = upstreamForSuite();
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  '%s to npm start reaches the server, which lets its streams finish',
  async (signal) => {
    const { npm, url } = await npmStart();
    const admin = await new ApiClient(url).signIn('root', ROOT_PASSWORD);
    await addChannel({ root: admin }, upstream().url);
    const { key } = await addToken({ root: admin });
    upstream().next({ chunks: 20, chunkMs: 100 });
    let pieces = 0;
    let reason: string | null = null;
    for await (const chunk of await clientOf({ url }, key).chat.completions.create({ ...hello, stream: true })) {
      if (pieces++ === 1) npm.kill(signal);
      reason = chunk.choices[0]?.finish_reason ?? reason;
    }
    expect(reason).toBe('stop');
    const listens = () =>
      fetch(url).then(
        () => true,
        () => false,
      );
    await expect.poll(listens, { timeout: 15_000, interval: 200, message: 'the port is open' }).toBe(false);
  },
  60_000,
);

async function npmStart(): Promise<{ npm: ChildProcess; url: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-npm-'));
  folders.push(folder);
  const npm = spawn('npm', ['start', '--', '--port', '0', '--host', '127.0.0.1'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // Arguments count more.
      PORT: 'none',
      HOST: 'nowhere.invalid',
      DATA_DIR: folder,
      ROOT_PASSWORD,
      DRAIN_SECONDS: '0',
      OUTBOUND_PRIVATE: 'allow',
    },
  });
  let told = '';
  const url = await new Promise<string>((resolve, reject) => {
    npm.stdout.on('data', (piece: Buffer) => {
      told += piece.toString();
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(told)?.[0];
      if (address) resolve(address);
    });
    npm.once('exit', () => reject(new Error(`npm start ended: ${told}`)));
  });
  return { npm, url };
}
