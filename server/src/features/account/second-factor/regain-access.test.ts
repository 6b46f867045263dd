import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { auditApi, totpApi, userApi } from '@relay-hub/contract';
import { Secret, TOTP } from 'otpauth';
import { describe, expect, test } from 'vitest';
import { onEveryDatabase } from '#testing/databases.ts';
import { ApiClient, hubForSuite, ROOT_PASSWORD } from '#testing/hub.ts';
import { addPasskey } from '#testing/people.ts';

const script = fileURLToPath(new URL('../../../../../scripts/reset-second-factor.ts', import.meta.url));

async function run(args: string[], env: Record<string, string | undefined>): Promise<{ code: number; text: string }> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));
  const child = spawn(process.execPath, [script, ...args], { env: { PATH: process.env['PATH'], ...set } });
  let text = '';
  child.stdout.on('data', (piece: Buffer) => (text += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (text += piece.toString()));
  const code = await new Promise<number>((resolve) => child.once('exit', (status) => resolve(status ?? -1)));
  return { code, text };
}

onEveryDatabase('the way back in for whoever runs the machine', (make) => {
  const hub = hubForSuite(make);
  const login = () =>
    new ApiClient(hub().url).try(userApi.login, { body: { username: 'root', password: ROOT_PASSWORD } });

  test('takes the second factor off, ends the sessions, and is in the audit log', async () => {
    const { root, server } = hub();
    const { dataDir: DATA_DIR, databaseUrl: DATABASE_URL } = server.deps.config;
    const { secret } = await root.call(totpApi.begin);
    await root.call(totpApi.enable, { body: { code: new TOTP({ secret: Secret.fromBase32(secret) }).generate() } });
    const { id } = await root.call(userApi.self);
    await addPasskey(hub(), id);
    expect((await login()).body).toMatchObject({ success: false, code: 'login.second_factor' });

    const wrongKey = await run(['--user', 'root'], { DATA_DIR, DATABASE_URL, SECRET_KEY: 'x'.repeat(40) });
    expect(wrongKey).toMatchObject({ code: 1, text: expect.stringContaining('is not the key') as string });
    const nobody = await run(['--user', 'rooot'], { DATA_DIR, DATABASE_URL });
    expect(nobody).toMatchObject({ code: 1, text: expect.stringContaining('no user "rooot"') as string });
    expect((await login()).body).toMatchObject({ code: 'login.second_factor' });
    expect((await root.try(userApi.self)).status).toBe(200);

    const done = await run(['--user', 'Root'], { DATA_DIR, DATABASE_URL });
    expect(done).toMatchObject({ code: 0, text: expect.stringContaining('1 passkey(s)') as string });
    expect((await root.try(userApi.self)).status).toBe(401);
    await root.signIn('root', ROOT_PASSWORD);
    expect(await root.call(totpApi.get)).toMatchObject({ enabled: false });
    const { data } = await root.call(auditApi.list, { query: { actor: 'command line' } });
    expect(data).toMatchObject([
      { via: 'command', kind: 'user', object_id: String(id), object_name: 'root', code: '' },
    ]);
  });
});

describe('without what only the operator has', () => {
  test.each([
    ['no name', [], {}, 2, '--user <name> is missing'],
    ['no key', ['--user', 'root'], {}, 1, 'The data key is not here'],
    ['no database', ['--user', 'root'], { SECRET_KEY: 'x'.repeat(40) }, 1, 'The database is not here'],
  ])('%s: nothing is done, and nothing is made', async (_, args, env, status, told) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-'));
    try {
      const { code, text } = await run(args, { DATA_DIR: folder, ...env });
      expect(code).toBe(status);
      expect(text).toContain(told);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
