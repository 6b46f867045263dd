import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from './postgres-for-tests.ts';

/** Where Debian's packages install server and client of one version. */
const installed = '/usr/lib/postgresql';

const binaries = ((): string | undefined => {
  const versions = existsSync(installed) ? readdirSync(installed) : [];
  const [found] = versions
    .map((version) => path.join(installed, version, 'bin'))
    .filter((folder) =>
      ['initdb', 'postgres', 'pg_dump', 'pg_restore'].every((name) => existsSync(path.join(folder, name))),
    );
  return found;
})();

/** Whether a server with its pg_dump can be started; where it must be there, a missing one is an error. */
export const hasPostgresTools = ((): boolean => {
  if (binaries !== undefined) return true;
  if (process.env['CI']) throw new Error(`no PostgreSQL server with pg_dump in ${installed}`);
  process.stderr.write('\n  NO pg_dump: backups of PostgreSQL are not tested. Install the package postgresql.\n\n');
  return false;
})();

/** Starts an empty server that the installed pg_dump can read; the one of other suites may be newer. */
export async function startClientsPostgres(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-postgres-'));
  // PostgreSQL refuses to run as root; the package has created this user.
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  chmodSync(folder, 0o755);
  if (user) chownSync(folder, user.uid, user.gid);
  const data = path.join(folder, 'data');
  const at = (name: string) => path.join(binaries ?? '', name);
  const options = { cwd: folder, stdio: 'ignore' as const, ...user };
  execFileSync(at('initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], options);
  const port = await freePort();
  const flags = ['-c', 'fsync=off', '-c', `unix_socket_directories=${folder}`, '-c', 'listen_addresses=127.0.0.1'];
  const server = spawn(at('postgres'), ['-D', data, '-p', String(port), ...flags], options);
  const url = `postgres://postgres:unused@127.0.0.1:${port}/postgres`;
  for (let tries = 1; ; tries++) {
    const client = new pg.Client({ connectionString: url });
    try {
      await client.connect();
      await client.end();
      break;
    } catch (error) {
      if (tries === 300) throw error;
      await pause(100);
    }
  }
  return {
    url,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const idOf = (flag: '-u' | '-g'): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
