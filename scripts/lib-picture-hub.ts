import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { APIRequestContext } from '@playwright/test';
import { root, run } from './lib-run.ts';
import type { Named } from './lib-screens.ts';

const password = 'a-password-for-pictures';

export interface PictureHub {
  url: string;
  stop(): Promise<void>;
}

/** A server on a data directory of its own: over a week of seeded calls, or just as it is after the first start. */
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
    LOG_LEVEL: 'warn',
  };
  if (filled && (await run('node', ['scripts/seed.ts'], { env })) !== 0) throw new Error('seeding failed');
  const server = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => {
      const address = /Relay Hub is at (http:\S+)/.exec(text.toString())?.[1];
      if (address) resolve(address);
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

/** Signs in as root; the session stays with the requests' context. */
export async function signInAsRoot(request: APIRequestContext): Promise<object> {
  return dataOf<object>(request.post('/api/user/login', { data: { username: 'root', password } }));
}

/** What the seed does not bring: codes, groups, a notice, ways to sign in, and with all that an audit trail. */
export async function addPictureData(request: APIRequestContext): Promise<Named> {
  for (const [name, quota, count] of codes) {
    await dataOf(request.post('/api/redemption/', { data: { name, quota, count, expired_time: -1 } }));
  }
  for (const [symbol, name, ratio] of groups) {
    await dataOf(request.post('/api/user_group/', { data: { symbol, name, ratio } }));
  }
  for (const [key, value] of Object.entries(settings)) {
    await dataOf(request.put('/api/option/', { data: { key, value } }));
  }
  const [answered, failed, audits] = await Promise.all([
    firstId(request, '/api/log/?log_type=2&size=1'),
    firstId(request, '/api/log/?size=1&failed=1'),
    firstId(request, '/api/audit?size=1'),
  ]);
  return { log: answered, failedLog: failed, audit: audits };
}

const codes = [
  ['双十一活动', 5_000_000, 12],
  ['partner-2026-q4', 25_000_000, 5],
  ['summer meetup', 1_000_000, 8],
] as const;

const groups = [
  ['company', '企业', 0.6],
  ['partner', 'Partners', 0.75],
] as const;

/** Those that others ask for come first. */
const settings = {
  RegisterEnabled: 'true',
  GitHubClientId: 'a-client-of-the-pictures',
  GitHubClientSecret: 'a-secret-of-the-pictures',
  GitHubOAuthEnabled: 'true',
  LarkClientId: 'cli_pictures',
  LarkClientSecret: 'a-secret-of-the-pictures',
  LarkAuthEnabled: 'true',
  SMTPServer: 'smtp.example.com',
  SMTPAccount: 'hub@example.com',
  SMTPFrom: 'Relay Hub <hub@example.com>',
  EmailVerificationEnabled: 'true',
};

async function firstId(request: APIRequestContext, address: string): Promise<number> {
  const { data } = await dataOf<{ data: { id: number }[] }>(request.get(address));
  return data[0]?.id ?? 0;
}

async function dataOf<T>(answer: ReturnType<APIRequestContext['get']>): Promise<T> {
  const response = await answer;
  const body = (await response.json()) as { success: boolean; message: string; data: T };
  if (!body.success) throw new Error(`${response.url()}: ${body.message}`);
  return body.data;
}
