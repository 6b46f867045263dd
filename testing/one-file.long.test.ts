import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { channelApi, priceApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newSqlite } from './databases.ts';
import { addChannel, addToken, upstreamForSuite } from './hub.ts';
import { startProcess } from './process.ts';
import { hello } from './relay-calls.ts';

const root = path.join(import.meta.dirname, '..');
const adapters = 'server/src/providers/adapters';
/** A number without a provider. */
const TYPE = 9001;

/** A copy of the checkout with an additional file. */
let copy: string;
const upstream = upstreamForSuite();

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'one-file-'));
  for (const name of ['server', 'testing', 'package.json', 'tsconfig.base.json'])
    cpSync(path.join(root, name), path.join(copy, name), { recursive: true, filter: isOwn });
  // The packages of this repository are those of the copy, all others are shared.
  const shared = readdirSync(path.join(root, 'node_modules')).filter((name) => name !== '@relay-hub');
  mkdirSync(path.join(copy, 'node_modules/@relay-hub'), { recursive: true });
  for (const name of shared) symlinkSync(path.join(root, 'node_modules', name), path.join(copy, 'node_modules', name));
  for (const [name, home] of [
    ['contract', root],
    ['server', copy],
    ['testing', copy],
  ] as const)
    symlinkSync(path.join(home, name), path.join(copy, 'node_modules/@relay-hub', name));
  writeFileSync(
    path.join(copy, 'vitest.config.ts'),
    `export default { test: { include: ['server/src/providers/provider-suite*.test.ts'], maxWorkers: 1 } };`,
  );
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const isOwn = (file: string): boolean => !file.includes('node_modules');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** The example in the docs, for another vendor. */
function example(): string {
  const [, code = ''] = /```ts\n([^]*?)```/.exec(read('docs/providers.md')) ?? [];
  return code.replace("id: 'lingyi'", "id: 'acme'").replace('type: 33', `type: ${TYPE}`).replace('01.AI', 'Acme');
}

/** Runs the provider suite in the copy, for the new provider; exit status and output. */
function suite(): Promise<{ code: number | null; output: string }> {
  const command = [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--root', copy, '-t', 'acme'];
  const child = spawn(process.execPath, command, { env: { PATH: process.env['PATH'], NO_COLOR: '1', CI: '1' } });
  let told = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (told += piece.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output: told })));
}

test('the file in the docs is all that a provider takes: the API, calls and the common suite pick it up', async () => {
  const code = example();
  expect(code).toContain(`type: ${TYPE}`);
  expect(code.replace('acme', 'lingyi').replace(`${TYPE}`, '33').replace('Acme', '01.AI')).toBe(
    read(`${adapters}/lingyi.ts`),
  );
  writeFileSync(path.join(copy, adapters, 'acme.ts'), code);

  const database = await newSqlite();
  const server = await startProcess(database, {}, path.join(copy, 'server/src/main.ts'));
  try {
    const told = (await server.root.call(channelApi.types)).find(({ type }) => type === TYPE);
    expect(told).toMatchObject({
      title: 'Acme',
      supported: true,
      base_url: 'https://api.lingyiwanwu.com',
      address: 'optional',
      test_model: 'yi-lightning',
      lists_models: true,
    });
    const id = await addChannel(server, upstream().url, { type: TYPE, models: 'yi-lightning' });
    await server.root.call(channelApi.test, { params: { id }, query: { model: 'yi-lightning' } });
    await server.root.call(priceApi.create, {
      body: { model: 'yi-lightning', type: 'tokens', channel_type: TYPE, input: 1, output: 1 },
    });
    const { key } = await addToken(server);
    const answer = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...hello, model: 'yi-lightning', max_completion_tokens: 9 }),
    });
    expect(answer.status).toBe(200);
    // The vendor's name for the limit.
    expect(JSON.parse(upstream().requests.at(-1)!.body)).toMatchObject({ model: 'yi-lightning', max_tokens: 9 });
  } finally {
    await server.kill();
    await database.remove();
  }

  const without = await suite();
  expect(without.code).toBe(1);
  expect(without.output).toMatch(/acme.*channel/);
  cpSync(path.join(root, adapters, 'fixtures/lingyi'), path.join(copy, adapters, 'fixtures/acme'), { recursive: true });
  const { code: ended, output: told } = await suite();
  expect({ ended, told }).toMatchObject({ ended: 0 });
  expect(told).toMatch(/Tests\s+\d{2} passed/);
}, 180_000);
