import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from './postgres-for-tests.ts';

/** Whether a MariaDB server can be started; where it must be there, a missing one is an error. */
export const hasMariadb = ((): boolean => {
  try {
    execFileSync('mariadbd', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (process.env['CI']) throw error;
    process.stderr.write('\n  NO MARIADB: its tests are skipped. Install mariadb-server to run them.\n\n');
    return false;
  }
})();

/** Starts an empty MariaDB with a database `old`. */
export async function startMariadb(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-mariadb-'));
  const data = path.join(folder, 'data');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  execFileSync('mariadb-install-db', [
    '--no-defaults',
    ...user,
    `--datadir=${data}`,
    '--auth-root-authentication-method=normal',
    '--skip-test-db',
  ]);
  const port = await freePort();
  const server = spawn(
    'mariadbd',
    [
      '--no-defaults',
      ...user,
      `--datadir=${data}`,
      `--socket=${path.join(folder, 's')}`,
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      '--innodb-flush-log-at-trx-commit=0',
    ],
    { stdio: 'ignore' },
  );
  const { createConnection } = await import('mysql2/promise');
  const root = `mysql://root@127.0.0.1:${port}`;
  for (let tries = 1; ; tries++) {
    try {
      const connection = await createConnection({ uri: root });
      await connection.query('create database old character set utf8mb4');
      await connection.end();
      break;
    } catch (error) {
      if (tries === 300) throw error;
      await pause(200);
    }
  }
  return {
    url: `${root}/old`,
    async stop() {
      const ended = new Promise((resolve) => server.once('exit', resolve));
      server.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
