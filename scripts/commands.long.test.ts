import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openStorage } from '../server/src/db/open.ts';
import { openSecrets } from '../server/src/secrets.ts';
import { prepare } from '../server/src/start/first-start.ts';
import { filesIn } from '../testing/files-in.ts';
import { packedCommands } from './pack/commands.ts';

type Table = Record<string, { script: string }>;
const runner = path.join(import.meta.dirname, 'run.cjs');
const { COMMANDS, TOOLS } = createRequire(import.meta.url)(runner) as { COMMANDS: Table; TOOLS: Table };

const scripts: [typed: string, script: string][] = [
  ...Object.entries(COMMANDS).map(([name, { script }]): [string, string] => [`npm run ${name}`, script]),
  ...Object.entries(TOOLS).map(([name, { script }]): [string, string] => [`npm run tool -- ${name}`, script]),
  ['npm run health', 'scripts/health.ts'],
];

/** Runs before a command: a terminal with answers. */
const terminal = `data:text/javascript,${encodeURIComponent(
  "for (const each of [process.stdin, process.stderr]) Object.defineProperty(each, 'isTTY', { value: true });",
)}`;
const KEY = 'the-key-of-a-database-that-nobody-changes';

let folder: string;
/** The data of an installation, and the folder where the commands run. */
const [data, here] = ['data', 'here'].map((name) => () => path.join(folder, name)) as [() => string, () => string];
let before: ReturnType<typeof filesIn>;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-commands-'));
  for (const each of [data(), here()]) mkdirSync(each);
  writeFileSync(path.join(data(), 'secret.key'), `${KEY}\n`);
  const storage = openStorage({ databaseUrl: undefined, dataDir: data() });
  await migrate(storage.db);
  await prepare(storage.db, openSecrets(KEY), 'a-password', 1_800_000_000);
  await storage.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => (before = filesIn(folder)));

/** Runs a script on the installation as an operator does; `typed` is what comes from standard input. */
async function run(file: string, args: string[], { node = [] as string[], typed = '' } = {}) {
  const child = spawn(process.execPath, [...node, file, ...args], {
    cwd: here(),
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: path.join(import.meta.dirname, '../.cache/compiled'),
      DATA_DIR: data(),
      PORT: '1',
      HOST: '127.0.0.1',
    },
  });
  child.stdin.end(typed);
  let [out, errors] = ['', ''];
  child.stdout.on('data', (piece: Buffer) => (out += piece.toString()));
  child.stderr.on('data', (piece: Buffer) => (errors += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out, errors };
}

test.each(scripts)(
  '%s tells its usage for --help, refuses what it does not know, and changes nothing',
  async (typed, script) => {
    const file = path.join(import.meta.dirname, '..', script);
    const [help, unknown] = await Promise.all([run(file, ['--help']), run(file, ['--no-such-option'])]);
    expect(help).toEqual({ code: 0, out: expect.stringMatching(/^npm run .*\n\n[A-Z][^]*\n {2}--help /), errors: '' });
    expect(help.out.startsWith(typed), help.out).toBe(true);
    expect(unknown).toEqual({
      code: 2,
      out: '',
      errors: `Unknown option '--no-such-option'. Nothing was done.\n\n${help.out}`,
    });
    expect(filesIn(folder)).toEqual(before);
  },
);

test.each([
  ['books.ts', ['another'], "Unexpected argument 'another'"],
  ['backup.ts', ['--keep', 'all'], '--keep takes <number>'],
  ['backup.ts', ['--to='], '--to takes <folder>'],
  ['export.ts', ['--to', 'there', '--format', 'xml'], '--format takes jsonl|csv'],
  ['restore.ts', ['--yes'], '--from <archive> is missing'],
  ['move.ts', ['--yes'], 'Either --to <place> or --take-back is needed'],
])('scripts/%s %j is refused', async (script, args, problem) => {
  const { code, errors } = await run(path.join(import.meta.dirname, script), args);
  expect([code, errors.split('\n')[0]]).toEqual([2, `${problem}. Nothing was done.`]);
  expect(filesIn(folder)).toEqual(before);
});

test('commands of the package are among them', () => {
  const names = scripts.map(([typed]) => typed.replace('npm run ', ''));
  expect(names).toEqual(expect.arrayContaining(Object.keys(packedCommands)));
});

test('a name that is no command is refused with those that are', async () => {
  for (const [args, code] of [
    [['nope'], 2],
    [['constructor'], 2],
    [['tool', 'nope'], 2],
    [['tool', 'toString'], 2],
    [['--help'], 0],
    [['tool'], 0],
    [['tool', '--help'], 0],
  ] as const)
    expect(await run(runner, [...args]), args.join(' ')).toMatchObject({ code, errors: /usage: npm run / });
  expect(filesIn(folder)).toEqual(before);
});

test.each([
  ['scripts/rotate-key.ts', []],
  ['scripts/restore.ts', ['--from', 'an-archive']],
  ['scripts/move.ts', ['--to', 'postgres://127.0.0.1:1/none']],
  ['scripts/move.ts', ['--take-back']],
  ['scripts/seed/seed.ts', []],
  ['scripts/seed/seed-logs.ts', []],
])('%s asks in a terminal, and wants --yes without one', async (script, args) => {
  const file = path.join(import.meta.dirname, '..', script);
  const without = await run(file, args);
  expect(without).toMatchObject({ code: 2, errors: expect.stringContaining('Nothing was done. Add --yes') });
  const node = ['--import', terminal];
  for (const typed of ['n\n', '\n'])
    expect(await run(file, args, { node, typed })).toMatchObject({ code: 1, errors: /\[y\/N\].*Nothing was done/s });
  expect(filesIn(folder)).toEqual(before);
});

test('a confirmed command runs', async () => {
  const rotate = path.join(import.meta.dirname, 'rotate-key.ts');
  const { code, out } = await run(rotate, [], { node: ['--import', terminal], typed: 'y\n' });
  expect([code, out]).toEqual([0, expect.stringContaining('secrets were encrypted with the new key')]);
  expect((await run(rotate, ['--yes'])).code).toBe(0);
  expect(readFileSync(path.join(data(), 'secret.key'), 'utf8')).not.toContain(KEY);
});
