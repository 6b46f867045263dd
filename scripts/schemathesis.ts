import { spawn, spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';
import { readCommand, text, whole } from '../server/src/process/command-line.ts';
import { root } from './lib/run.ts';

const VERSION = '4.32.5';
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

/** Operations that end the session of the run, or the accounts that it uses. */
const endsTheRun = [
  'userLogout',
  'profileMakeAccessToken',
  'profileMakeAccessTokenByGet',
  'profileRemoveAccessToken',
  'profileEndSession',
  'profileEndOtherSessions',
  'userEndSessions',
  'userManage',
  'userRemove',
  'totpReset',
];

const actors = ['nobody', 'user', 'root'] as const;
const { seed, examples, as, only } = readCommand({
  name: 'tool schemathesis',
  about:
    'Tests a new hub with records of every kind against its OpenAPI document: without a session, as a user and as the super ' +
    'administrator. Exits with 0 if no reply was a server error or differed from the document. See docs/openapi.md. Needs ' +
    'python3 with venv. Schemathesis is installed into .cache.',
  options: {
    seed: whole('<number>', 'repeats a run; default: 20261126', 20_261_126),
    examples: whole('<number>', 'most cases of an operation; default: 8', 8, 1),
    as: text('<roles>', `of ${actors.join(', ')}; default: all`, actors.join(',')),
    only: text('<operations>', 'operation ids, separated by commas; default: all', undefined),
  },
});
// They load the whole server, which `--help` does not need.
const { emptySqlite } = await import('../testing/databases.ts');
const { openWorld } = await import('../testing/fuzz/fuzz-world.ts');
const chosen = actors.filter((actor) => as.split(',').includes(actor));
const folder = path.join(root, 'scripts/schemathesis');

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The program, installed if it is missing. */
function install(): string {
  const home = path.join(root, `.cache/schemathesis-${VERSION}`);
  const bin = path.join(home, process.platform === 'win32' ? 'Scripts' : 'bin');
  const program = path.join(bin, 'schemathesis');
  if (existsSync(program)) return program;
  say(`installing Schemathesis ${VERSION} into .cache`);
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', `schemathesis==${VERSION}`];
  for (const [command, args] of [
    ['python3', ['-m', 'venv', home]],
    [path.join(bin, 'python'), pip],
  ] as const)
    if (spawnSync(command, args, { stdio: 'inherit' }).status !== 0) {
      rmSync(home, { recursive: true, force: true });
      throw new Error('Schemathesis could not be installed');
    }
  return program;
}

/** Runs it against a new hub; whether everything was right, and the number of cases. */
async function runAs(program: string, actor: (typeof actors)[number]): Promise<{ passed: boolean; cases: number }> {
  const database = await emptySqlite();
  const world = await openWorld(database);
  const cookie = world.cookieOf(actor);
  try {
    const wanted = only?.split(',') ?? [];
    const options = [
      ['--seed', String(seed), '--max-examples', String(examples), '--checks', checks.join(','), '--workers', '1'],
      ['--continue-on-failure', '--no-color', '--request-timeout', '30'],
      cookie === undefined ? [] : ['--header', `Cookie:${cookie}`],
      wanted.flatMap((operation) => ['--include-operation-id', operation]),
      endsTheRun.flatMap((operation) => ['--exclude-operation-id', operation]),
    ].flat();
    const config = path.join(folder, 'schemathesis.toml');
    const document = `${world.process.url}/api/openapi.json`;
    const child = spawn(program, ['--config-file', config, 'run', document, ...options], {
      stdio: ['ignore', 'pipe', 'inherit'],
      cwd: path.join(root, '.cache'), // it keeps failures in the folder where it runs
      env: { ...process.env, SCHEMATHESIS_HOOKS: 'hooks', PYTHONPATH: folder },
    });
    let output = '';
    child.stdout.on('data', (piece: Buffer) => {
      output += piece.toString();
      process.stdout.write(piece);
    });
    // It reports what it has found, and the hub is stopped below.
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill('SIGINT'));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { passed: code === 0, cases: Number(/(\d[\d,]*) generated/.exec(output)?.[1]?.replace(',', '') ?? 0) };
  } finally {
    await world.close();
    await database.remove();
  }
}

const program = install();
let failed = false;
let total = 0;
for (const actor of chosen) {
  say(`\nSchemathesis ${VERSION}, seed ${seed}, as ${actor}`);
  const { passed, cases } = await runAs(program, actor);
  say(`${actor}: ${cases} cases, ${passed ? 'no faults' : 'FAULTS'}`);
  failed ||= !passed;
  total += cases;
}
say(`${total} cases in all`);
process.exit(failed ? 1 : 0);
