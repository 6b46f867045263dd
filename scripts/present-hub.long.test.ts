import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../server/src/db/migrate.ts';
import { openStorage } from '../server/src/db/open.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'relay-hub-'))));
afterEach(() => rmSync(folder, { recursive: true }));

/** Runs a command as an operator does. */
async function run(name: string, env: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const file = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  const args = [file, ...(argumentsOf[name] ?? [])];
  const child = spawn(process.execPath, args, { env: { PATH: process.env['PATH'], DATA_DIR: folder, ...env } });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (text += piece.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, text };
}

const argumentsOf: Record<string, string[]> = {
  'rotate-key': ['--yes'],
  'reset-second-factor': ['--user', 'root'],
  import: ['--from', 'one-api.db'],
  export: ['--to', 'export'],
};
const commands = ['backup', 'books', 'rotate-key', 'reset-second-factor', 'import', 'export'];
const key = { SECRET_KEY: 'x'.repeat(40) };

describe.each(commands)('npm run %s', (name) => {
  test('where no hub is: says what is missing, and makes nothing', async () => {
    const { code, text } = await run(name, key);
    expect(code).toBe(1);
    expect(text).toContain('The database is not here');
    expect(text).not.toContain('at ');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('npm run books, on a database that is', () => {
  async function database(change: string): Promise<void> {
    const storage = openStorage({ databaseUrl: undefined, dataDir: folder });
    await migrate(storage.db);
    await storage.close();
    const file = new DatabaseSync(path.join(folder, 'relay-hub.db'));
    file.exec(change);
    file.close();
  }

  test.each([
    ['older', 'delete from kysely_migration where name = (select max(name) from kysely_migration)', 'an older version'],
    ['newer', "insert into kysely_migration values ('9999-later', '2026')", 'a newer version'],
    ['empty', 'drop table kysely_migration', 'not one of Relay Hub'],
  ])('%s: prints one line and creates no key', async (_, change, message) => {
    await database(change);
    const { code, text } = await run('books', {});
    expect(code).toBe(1);
    expect(text).toContain(message);
    expect(text.trim().split('\n')).toHaveLength(2);
    expect(readdirSync(folder)).not.toContain('secret.key');
  });

  test('of another program that does not answer: names DATABASE_URL', async () => {
    const { code, text } = await run('books', { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' });
    expect(code).toBe(1);
    expect(text).toMatch(/^The accounting was not checked\.\nThe database at DATABASE_URL cannot be used/);
  });

  test('this version’s: reads it', async () => {
    await database('select 1');
    const { code, text } = await run('books', {});
    expect({ code, text }).toMatchObject({
      code: 0,
      text: expect.stringContaining('The accounting is balanced.') as string,
    });
  });
});
