import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { APIRequestContext } from '@playwright/test';
import { dataOf } from './data-of.ts';
import { root, run } from '../lib/run.ts';

const password = 'a-password-for-pictures';

export interface PictureHub {
  url: string;
  stop(): Promise<void>;
}

/** Starts a server on a new data directory: filled with a week of calls, or empty. */
export async function startPictureHub(filled: boolean): Promise<PictureHub> {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'relay-hub-pictures-'));
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    DATABASE_URL: '',
    REDIS_URL: '',
    ROOT_PASSWORD: password,
    PORT: '0',
    HOST: '127.0.0.1',
    // The simulated provider runs on this machine.
    OUTBOUND_PRIVATE: 'allow',
    LOG_LEVEL: 'warn',
  };
  if (filled && (await run('node', ['scripts/seed/seed.ts', '--yes'], { env })) !== 0)
    throw new Error('seeding failed');
  const server = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => {
      const address = /Relay Hub is at (http:\S+)/.exec(text.toString())?.[1];
      // Passkeys need a host name: with an IP address, browsers do not offer them and pages hide them.
      if (address) resolve(address.replace('127.0.0.1', 'localhost'));
    });
    server.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
  });
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGTERM');
      await ended;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Refreshes the sign-in time of the session, so no screen asks for the password again. */
export async function proveAnew(request: APIRequestContext, known = password): Promise<void> {
  await dataOf(request.post('/api/user/self/proof', { data: { password: known } }));
}

/** Signs in, by default as root; the session stays in the request context. */
export async function signInTo(
  request: APIRequestContext,
  credentials: { username: string; password: string } = { username: 'root', password },
): Promise<object> {
  return dataOf<object>(request.post('/api/user/login', { data: credentials }));
}
