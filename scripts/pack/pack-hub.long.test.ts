import { spawnSync } from 'node:child_process';
import { createHash, generateKeyPairSync, verify } from 'node:crypto';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { channelApi } from '@relay-hub/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { channelTypes } from '../../server/src/channel-types/channel-types.ts';
import { migrate } from '../../server/src/db/migrate.ts';
import { openStorage } from '../../server/src/db/open.ts';
import { productVersion } from '../../server/src/version.ts';
import { addCaller, rowsOf } from '../../testing/callers.ts';
import { emptySqlite } from '../../testing/databases.ts';
import { filesIn } from '../../testing/files-in.ts';
import { addChannel } from '../../testing/hub.ts';
import { startProcess } from '../../testing/process.ts';
import { hello, post } from '../../testing/relay-calls.ts';
import { startUpstream } from '../../testing/upstream-simulator/start-upstream.ts';
import { buildConsole } from '../lib/console.ts';
import { root } from '../lib/run.ts';
import { clientAbouts, packedCommands } from './commands.ts';
import { imageCommand, imageEnvironment, packStep } from './image-steps.ts';
import { packedModules } from './pack-hub.ts';

/** Runs before the program: refuses and notes each connection to another machine. */
const noNetwork = (notes: string) => `
const { Socket } = require('node:net');
const { appendFileSync } = require('node:fs');
const { connect } = Socket.prototype;
Socket.prototype.connect = function (...args) {
  const [{ host = 'localhost' } = {}] = Array.isArray(args[0]) ? args[0] : args;
  if (/^(localhost|127\\.|::1$)/.test(host)) return connect.apply(this, args);
  appendFileSync(${JSON.stringify(notes)}, host + '\\n');
  throw new Error('no network');
};
`;

/** Runs before the program: an older Node. */
const olderNode = `
Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '24.4.1' } });
Object.defineProperty(process, 'version', { value: 'v24.4.1' });
`;

let folder: string;
let program: string;
const file = (name: string) => path.join(folder, name);
/** Paths in the image are paths in the folder of the test. */
const here = (text: string) => text.replaceAll(/(?<![\w.])\/(app|data|out)\b/g, (_, name: string) => file(name));
const stateOfApp = () => globSync('app/**', { cwd: folder }).map((name) => `${name} ${statSync(file(name)).mtimeMs}`);

beforeAll(async () => {
  await buildConsole();
  folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-packed-'));
  // No daemon builds the image in tests, so the step of its Dockerfile runs here.
  const step = here(packStep()).replace('node ', `${process.execPath} `);
  const packed = spawnSync('sh', ['-ec', step], { cwd: root, encoding: 'utf8' });
  expect([packed.status, packed.stderr]).toEqual([0, expect.stringContaining(`relay-hub-${productVersion}.tgz`)]);
  program = file('app/relay-hub.cjs');
  expect(here(imageCommand('ENTRYPOINT').join(' '))).toBe(`node ${program}`);
  writeFileSync(file('no-network.cjs'), noNetwork(file('attempts')));
  writeFileSync(file('older-node.cjs'), olderNode);
}, 180_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the program in an empty folder, as an operator does. */
const run = (args: string[], node: string[] = [], env: Record<string, string> = {}) => {
  mkdirSync(file('empty'), { recursive: true });
  const command = [...node, program, ...args];
  return spawnSync(process.execPath, command, { cwd: file('empty'), env, encoding: 'utf8' });
};

test('an older Node is refused in one line, and nothing is written', () => {
  const { status, stdout, stderr } = run([], ['--require', file('older-node.cjs')]);
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'Relay Hub needs Node 26 or newer; this is Node v24.4.1.\n',
  });
  expect(existsSync(file('empty/data'))).toBe(false);
});

test('the program says its version and its commands, and refuses others', () => {
  expect(run(['--version']).stdout).toBe(`${productVersion}\n`);
  expect(run(['--help']).stdout).toContain('\n  books ');
  expect(run(['constructor'])).toMatchObject({ status: 2, stderr: expect.stringContaining('usage: relay-hub') });
  const { status, stderr } = run(['books']);
  expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining(file('empty/data')) });
  expect(run(['import']).stderr).toContain('relay-hub import --from');
  for (const name of ['relay-hub.service', 'nginx.conf', 'Caddyfile'])
    expect(existsSync(file(`app/deploy/${name}`)), name).toBe(true);
});

describe('on a database', () => {
  let database: Awaited<ReturnType<typeof emptySqlite>>;
  let before: ReturnType<typeof filesIn>;
  const env = () => ({ DATA_DIR: database.dataDir, PORT: '1' });

  beforeAll(async () => {
    database = await emptySqlite();
    writeFileSync(path.join(database.dataDir, 'secret.key'), 'the-key-that-no-command-changes-here');
    const storage = openStorage(database);
    await migrate(storage.db);
    await storage.close();
    before = filesIn(database.dataDir);
  });
  afterAll(() => database?.remove());
  afterEach(() => expect(filesIn(database.dataDir)).toEqual(before));

  test.each(['start', ...Object.keys({ ...packedCommands, ...clientAbouts })])(
    '%s tells its own name for --help, refuses what it does not know, and changes nothing',
    (name) => {
      const help = run([name, '--help'], [], env());
      expect([help.status, help.stdout, help.stderr]).toEqual([0, expect.stringMatching(`^relay-hub ${name}\\b`), '']);
      expect(help.stdout).not.toContain('npm');
      const unknown = run([name, '--no-such-option'], [], env());
      // 2 of `plan` means that there are changes.
      expect([unknown.status, unknown.stdout]).toEqual([name === 'plan' ? 1 : 2, '']);
      expect(unknown.stderr).toBe(`Unknown option '--no-such-option'. Nothing was done.\n\n${help.stdout}`);
    },
  );

  test('an option without a command is the server’s', () => {
    expect(run(['--no-such-option'], [], env())).toMatchObject({ status: 2, stdout: '' });
  });
});

test('every package that the modules import is in the archive, and loads', () => {
  const packages = packedModules().packages;
  expect(packages).toContain('pg');
  expect(packages).toContain('sanitize-html');
  const imports = packages.map((name) => `await import(${JSON.stringify(name)});`).join('\n');
  writeFileSync(file('app/hub/load.mjs'), `${imports}\nprocess.stdout.write('loaded');`);
  const { stdout, stderr } = spawnSync(process.execPath, [file('app/hub/load.mjs')], { env: {}, encoding: 'utf8' });
  expect({ stdout, stderr }).toEqual({ stdout: 'loaded', stderr: '' });
});

test('beside it are its checksum, provenance, bill of materials and signature', () => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(file('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  const name = `relay-hub-${productVersion}.tgz`;
  const out = file('signed');
  const args = ['scripts/pack.ts', '--to', out, '--sign', file('key.pem')];
  expect(spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' }).status).toBe(0);
  const archive = readFileSync(path.join(out, name));
  const read = (ending: string) => readFileSync(path.join(out, name + ending));
  // As `sha256sum -c` reads it.
  expect(read('.sha256').toString()).toBe(`${createHash('sha256').update(archive).digest('hex')}  ${name}\n`);
  expect(verify(null, archive, publicKey, read('.sig'))).toBe(true);
  const { subject } = JSON.parse(read('.provenance.json').toString()) as { subject: unknown };
  expect(subject).toEqual([{ name, digest: { sha256: read('.sha256').toString().split(' ')[0] } }]);
  const bill = JSON.parse(readFileSync(path.join(out, `relay-hub-${productVersion}.sbom.cdx.json`), 'utf8')) as {
    components: { name: string; 'bom-ref': string; properties: { value: string }[] }[];
  };
  const inArchive = bill.components.filter(({ properties }) => properties[0]?.value === 'server');
  for (const { 'bom-ref': ref } of inArchive)
    expect(existsSync(file(`app/hub/${ref.split('#')[1]}/package.json`)), ref).toBe(true);
  expect(inArchive.length).toBeGreaterThan(50);
  expect(bill.components.map((each) => each.name)).toEqual(expect.arrayContaining(['react', 'fastify', 'zod']));
});

test('it serves the console and relays a call without a network, and stops when asked', async () => {
  const database = await emptySqlite();
  const upstream = await startUpstream();
  const before = stateOfApp();
  const server = await startProcess(
    database,
    {
      ...imageEnvironment(),
      DATA_DIR: database.dataDir,
      NODE_OPTIONS: `--require ${file('no-network.cjs')}`,
    },
    program,
  );
  const storage = openStorage(database);
  try {
    const page = await fetch(`${server.url}/login`);
    const html = await page.text();
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(html)?.[1];
    expect({ status: page.status, script: (await fetch(`${server.url}${script}`)).status }).toEqual({
      status: 200,
      script: 200,
    });
    expect((await fetch(`${server.url}/api/docs/swagger-ui-bundle.js`)).status).toBe(200);
    const { port } = new URL(server.url);
    const [, checker, ...health] = imageCommand('HEALTHCHECK').map(here);
    expect(checker).toBe(program);
    const isHealthy = (env: Record<string, string>) => run(health, [], env).status === 0;
    expect([isHealthy({ PORT: port }), isHealthy({ PORT: '1' })]).toEqual([true, false]);

    await addChannel(server, upstream.url);
    const who = await addCaller(storage.db, { quota: 100_000 });
    // Without usage in the reply, tokens are counted in a worker thread.
    upstream.behaviour = { usage: 'none' };
    expect((await post(server, who.key, hello)).status).toBe(200);
    await expect.poll(() => rowsOf(storage.db, who), { message: 'rows of the caller' }).toHaveLength(1);
    expect(await rowsOf(storage.db, who)).toMatchObject([{ failed: false, metadata: { usage_source: 'estimate' } }]);
    const types = await server.root.call(channelApi.types);
    expect(types.length).toBe(channelTypes().length);

    const books = run(['books', '--json'], [], { DATA_DIR: database.dataDir });
    expect(JSON.parse(books.stdout)).toMatchObject({ balanced: true, users: 2, rows: 1 });
    server.child.kill('SIGTERM');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.errors()).toBe('');
    // The root file system of the image may be read-only.
    expect(stateOfApp()).toEqual(before);
    expect(existsSync(file('attempts')) ? readFileSync(file('attempts'), 'utf8') : '').toBe('');
  } finally {
    await server.kill();
    await storage.close();
    await upstream.close();
    await database.remove();
  }
}, 60_000);
