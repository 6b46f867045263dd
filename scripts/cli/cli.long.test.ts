import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { accessKeyApi, channelApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { onOneDatabase } from '../../testing/databases.ts';
import { addChannel, addToken, hubForSuite, upstreamForSuite } from '../../testing/hub.ts';
import { addPerson } from '../../testing/people.ts';
import { hello, post } from '../../testing/relay-calls.ts';

const program = path.join(import.meta.dirname, '../cli.ts');

onOneDatabase('commands for a running hub', (make) => {
  const hub = hubForSuite(make);
  const upstream = upstreamForSuite();
  let folder: string;
  let key: string;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-cli-'));
    const scopes = ['read', 'tokens', 'users', 'channels', 'prices', 'money', 'logs', 'settings'] as const;
    await addChannel(hub(), upstream().url);
    ({ key } = await hub().root.call(accessKeyApi.create, { body: { name: 'cli', scopes: [...scopes] } }));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const file = (name: string) => path.join(folder, name);

  function start(args: string[], env: Record<string, string> = {}, typed = '') {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, ...args], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../../.cache/compiled'),
        XDG_CONFIG_HOME: file('config'),
        RELAY_HUB_URL: hub().url,
        RELAY_HUB_KEY: key,
        ...env,
      },
    });
    child.stdin.end(typed);
    let [out, errors] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
    child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
    const ended = new Promise<{ code: number | null; out: string; errors: string }>((resolve) =>
      child.once('close', (code) => resolve({ code, out, errors })),
    );
    return { child, ended, out: () => out };
  }
  const run = (args: string[], env: Record<string, string> = {}, typed = '') => start(args, env, typed).ended;

  test('plan says by its exit status whether there are changes, and apply makes them once', async () => {
    writeFileSync(file('hub.yaml'), 'groups: { from-files: { name: Files } }\n');
    expect(await run(['plan', 'hub.yaml'])).toMatchObject({
      code: 2,
      out: expect.stringContaining('+ groups.from-files'),
    });
    expect(await run(['apply', 'hub.yaml'])).toMatchObject({ code: 2, errors: expect.stringContaining('Add --yes') });
    expect(await run(['apply', 'hub.yaml', '--yes'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('1 of 1 changes made'),
    });
    expect(await run(['plan', 'hub.yaml'])).toEqual({
      code: 0,
      out: 'No changes: the hub is as the files say.\n',
      errors: '',
    });
    writeFileSync(file('bad.yaml'), 'groups: { from-files: { nmae: Files } }\n');
    expect(await run(['plan', 'bad.yaml'])).toEqual({
      code: 1,
      out: '',
      errors: 'bad.yaml:1: groups.from-files.nmae: is unknown\n',
    });
    expect((await run(['plan', '--no-such-option'])).code).toBe(1);
    expect(JSON.parse((await run(['plan', 'hub.yaml', '--json'])).out)).toEqual({ changes: [] });
  });

  test('an apply that is killed after any write is completed by the next', async () => {
    const names = ['groups', 'channels', 'prices', 'virtual_models'];
    writeFileSync(
      file('all.yaml'),
      `groups: { killed: { name: K } }
channels: { killed: { type: 8, key: '\${env:KILLED_KEY}', base_url: 'https://127.0.0.1', group: [killed], models: [killed-m] } }
prices: { killed-m: { type: tokens, channel_type: 0, input: 1, output: 2 } }
virtual_models: { killed: { steps: [{ models: [{ model: killed-m }] }] } }
`,
    );
    const secret = 'sk-killed-key-0123456789';
    let output = '';
    for (const [i, name] of names.entries()) {
      // The hub has written, and the program never hears of it.
      let child: ReturnType<typeof start>['child'] | undefined;
      const between = await passOn(hub().url, () => void child?.kill('SIGKILL'));
      const env = { KILLED_KEY: secret, RELAY_HUB_URL: between.url };
      const started = start(['apply', 'all.yaml', '--yes'], env);
      child = started.child;
      const { code, out, errors } = await started.ended;
      await between.close();
      expect([code, errors], out).toEqual([null, '']);
      output += out;
      const rest = await run(['plan', 'all.yaml', '--json'], { KILLED_KEY: secret });
      const { changes } = JSON.parse(rest.out) as { changes: { kind: string }[] };
      expect(
        changes.map(({ kind }) => kind),
        name,
      ).toEqual(names.slice(i + 1));
      output += rest.out + rest.errors;
    }
    expect(output).not.toContain(secret.slice(0, -4));
    const { data } = await hub().root.call(channelApi.list);
    expect(data.filter((channel) => channel.name === 'killed')).toHaveLength(1);
  });

  test('an exported folder is read back without a change, and is not overwritten by chance', async () => {
    const env = { CHANNELS_KILLED_KEY: 'sk-killed-key-0123456789', CHANNELS_SIMULATED_KEY: 'sk-upstream-key-0001' };
    const to = ['export-config', '--to', 'exported'];
    expect(await run(to)).toMatchObject({
      code: 0,
      out: expect.stringContaining('exported/channels.yaml: 2, 2 secrets'),
    });
    expect(await run(['plan', 'exported'], env)).toMatchObject({ code: 0 });
    expect(await run(to)).toMatchObject({ code: 1, errors: expect.stringContaining('Add --force') });
    expect((await run([...to, '--force', '--only', 'groups'])).code).toBe(0);
    expect((await run(['export-config', '--only', 'groups'])).out).toBe(
      readFileSync(file('exported/groups.yaml'), 'utf8') + '\n',
    );
  });

  test('login keeps a key that works where nobody else can read it', async () => {
    const without = { RELAY_HUB_URL: '', RELAY_HUB_KEY: '' };
    expect(await run(['plan', 'hub.yaml'], without)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('Which hub?'),
    });
    const wrong = await run(['login', '--hub', hub().url], without, `rhk_${'0'.repeat(40)}`);
    expect(wrong).toMatchObject({ code: 1, errors: expect.stringContaining('session.none') });
    const login = await run(['login', '--hub', `${hub().url}/`], without, `${key}\n`);
    expect(login).toMatchObject({ code: 0, out: expect.stringContaining('as root') });
    expect(login.out).not.toContain(key);
    const kept = file('config/relay-hub/cli.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    expect((await run(['plan', 'hub.yaml'], without)).code).toBe(0);
    // A stored key goes to no other hub.
    const elsewhere = await run(['plan', 'hub.yaml', '--hub', 'http://127.0.0.1:1'], without);
    expect(elsewhere).toMatchObject({ code: 1, errors: expect.stringContaining('No access key') });
    chmodSync(kept, 0o644);
    expect(await run(['plan', 'hub.yaml'], without)).toMatchObject({
      code: 1,
      errors: expect.stringContaining('chmod 600'),
    });
    writeFileSync(file('key'), key);
    expect((await run(['plan', 'hub.yaml', '--hub', hub().url, '--key-file', 'key'], without)).code).toBe(0);
  });

  test('a key is made, works, is disabled, enabled and removed', async () => {
    const made = await run(['keys', 'create', 'from a terminal', '--budget', '5000000', '--json']);
    expect(made).toMatchObject({ code: 0, errors: '' });
    const { id, key: secret } = JSON.parse(made.out) as { id: number; key: string };
    const statusOf = async () => (await post(hub(), secret, hello)).status;
    expect(await statusOf()).toBe(200);
    expect(await run(['keys', 'disable', String(id), '999999'])).toMatchObject({
      code: 1,
      out: 'from a terminal: disabled\n',
      errors: expect.stringContaining('999999: '),
    });
    expect(await statusOf()).toBe(401);
    expect((await run(['keys', 'enable', String(id)])).code).toBe(0);
    expect(await statusOf()).toBe(200);
    const { out } = await run(['keys']);
    expect(out).toMatch(/ID +NAME +KEY[^]*from a terminal/);
    expect(out).not.toContain(secret.slice(3, -4));
    expect((await run(['keys', 'remove', String(id)])).code).toBe(0);
    expect(await statusOf()).toBe(401);
  });

  test('calls are listed, followed and summed', async () => {
    const { key: secret } = await addToken(hub());
    const call = async (model: string) => (await post(hub(), secret, { ...hello, model })).status;
    expect(await call('gpt-4o-mini')).toBe(200);
    const listed = await run(['logs', '--limit', '1', '--json']);
    expect(JSON.parse(listed.out)).toMatchObject({ model_name: 'gpt-4o-mini' });
    const followed = start(['logs', '--follow', '--every', '1', '--limit', '1']);
    await expect.poll(followed.out, { message: 'the newest call' }).toMatch(/^[^\n]*gpt-4o-mini[^\n]*\n$/);
    expect(await call('gpt-4o')).toBe(200);
    expect(await call('no-such-model')).toBe(404);
    await expect
      .poll(followed.out, { message: 'both later calls' })
      .toMatch(/gpt-4o-mini.*\n.*gpt-4o  .*\n.*no-such-model  refused: /);
    followed.child.kill();
    await followed.ended;
    const usage = JSON.parse((await run(['usage', '--json'])).out) as {
      group: string;
      requests: number;
    }[];
    expect(usage.find(({ group }) => group === 'gpt-4o-mini')).toMatchObject({ requests: 1 });
    expect(usage.at(-1)).toMatchObject({ group: 'all' });
    expect(JSON.parse((await run(['balance', '--json'])).out)).toMatchObject({ username: 'root' });
  });

  test('channels are tested and switched, accounts too', async () => {
    const { username, client } = await addPerson(hub());
    await addChannel(hub(), 'http://127.0.0.1:1', { name: 'dead' });
    expect(await run(['channels', 'test', 'simulated', '--model', 'gpt-4o-mini'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('passed'),
    });
    expect(await run(['channels', 'test', 'all', '--json'])).toMatchObject({
      code: 1,
      out: expect.stringContaining('"ok": false'),
    });
    expect(await run(['channels', 'disable', 'simulated'])).toMatchObject({ code: 0, out: 'simulated: disabled\n' });
    expect((await run(['channels'])).out).toMatch(/simulated +disabled/);
    expect(await run(['channels', 'enable', 'nowhere'])).toMatchObject({
      code: 1,
      errors: 'nowhere: there is no channel nowhere\n',
    });
    expect(await run(['users', 'disable', username])).toMatchObject({ code: 0, out: `${username}: disabled\n` });
    expect((await run(['users', '--search', username, '--json'])).out).toContain('"status": "disabled"');
    expect((await client.send('GET', '/api/user/self')).status).toBe(401);
    const status = await run(['status', '--json']);
    expect(JSON.parse(status.out)).toMatchObject({ account: 'root', ok: true, storage: 'ok' });
    const other = await addPerson(hub());
    const { key: small } = await other.client.call(accessKeyApi.create, { body: { name: 'own', scopes: ['read'] } });
    expect(await run(['users'], { RELAY_HUB_KEY: small })).toMatchObject({
      code: 1,
      errors: expect.stringContaining('session.role'),
    });
    expect(await run(['status'], { RELAY_HUB_KEY: small })).toMatchObject({
      code: 0,
      out: expect.stringContaining(other.username),
    });
    expect((await run(['keys', 'explode'])).errors).toBe(
      'There is no action explode; there are list, create, disable, enable, remove.\n',
    );
  });

  test('another server, a redirect and no server are named', async () => {
    mkdirSync(file('none'), { recursive: true });
    const other = createServer((request, response) => {
      if (request.url?.startsWith('/moved'))
        response.writeHead(302, { location: `${hub().url}/api/user_group/` }).end();
      else response.end('<html>');
    });
    const url = await listening(other);
    for (const [address, problem] of [
      [url, 'is no Relay Hub'],
      [`${url}/moved`, 'does not answer'],
      ['http://127.0.0.1:1', 'does not answer'],
      ['ftp://a.example', 'is not an http(s) address'],
      ['https://user@a.example', 'is not an http(s) address'],
    ])
      expect(await run(['plan', 'hub.yaml'], { RELAY_HUB_URL: address! })).toMatchObject({
        code: 1,
        out: '',
        errors: expect.stringContaining(problem!),
      });
    await closed(other);
  });
});

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Passes requests on to a hub; `written` is called instead of the reply to a write. */
async function passOn(target: string, written: () => void): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { authorization = '' } = request.headers;
      const method = request.method ?? 'GET';
      const isWrite = method !== 'GET';
      const body = Buffer.concat(chunks).toString();
      const headers = { authorization, ...(isWrite && { 'content-type': 'application/json' }) };
      void passed(target + request.url, { method, headers, ...(isWrite && { body }) }).then(({ status, text }) =>
        isWrite ? written() : response.writeHead(status, { 'content-type': 'application/json' }).end(text),
      );
    });
  });
  const url = await listening(server);
  return { url, close: () => closed(server) };
}

async function passed(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, init);
  return { status: answer.status, text: await answer.text() };
}
