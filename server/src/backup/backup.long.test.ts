import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenApi, userApi, userGroupApi } from '@relay-hub/contract';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { chat } from '#testing/chat.ts';
import type { EmptyDatabase, MakeDatabase } from '#testing/databases.ts';
import { emptyPostgresOn, emptySqlite } from '#testing/databases.ts';
import { addChannel, addToken, upstreamForSuite } from '#testing/hub.ts';
import { type ServerProcess, startProcess } from '#testing/process.ts';
import { hasPostgresTools, startClientsPostgres } from '#testing/clients-postgres.ts';

const PASSPHRASE = 'correct horse battery staple';

interface Outcome {
  code: number | null;
  text: string;
}

/** Runs a command as an operator does. */
function run(name: 'backup' | 'restore', args: string[], { dataDir, databaseUrl }: Place, more = {}): Promise<Outcome> {
  const file = fileURLToPath(new URL(`../../../scripts/${name}.ts`, import.meta.url));
  const child = spawn(process.execPath, [file, ...args], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: dataDir,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      BACKUP_PASSPHRASE: PASSPHRASE,
      ...more,
    },
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece: Buffer) => (text += piece.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, text })));
}

type Place = Pick<EmptyDatabase, 'dataDir' | 'databaseUrl'>;

/** Rows that a backup has to keep. */
async function contentOf(place: Place): Promise<Record<string, unknown[]>> {
  const storage = openStorage(place);
  try {
    const read = async (table: string, columns: string) => {
      const { rows } = await sql<object>`select ${sql.raw(columns)} from ${sql.table(table)} order by id`.execute(
        storage.db,
      );
      return [table, rows] as const;
    };
    return Object.fromEntries(
      await Promise.all([
        read('users', 'id, username, password_hash, quota + held as balance, used_quota, request_count'),
        read('tokens', 'id, user_id, key_hash, used_quota'),
        read('ledger', 'id, user_id, kind, credits, balance_after'),
        read('logs', 'id, request_id, user_id, quota'),
        read('channels', 'id, name'),
        read('backups', 'state'),
      ]),
    );
  } finally {
    await storage.close();
  }
}

function suite(make: MakeDatabase): void {
  const upstream = upstreamForSuite();
  const places: EmptyDatabase[] = [];
  const place = async (): Promise<EmptyDatabase> => {
    const made = await make();
    places.push(made);
    return made;
  };
  let original: EmptyDatabase;
  let hub: ServerProcess;
  let folder: string;
  let key: string;
  const archives = () => readdirSync(folder).map((name) => path.join(folder, name));

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'relay-hub-backups-'));
    original = await place();
    hub = await startProcess(original);
    await addChannel(hub, upstream().url);
    ({ key } = await addToken(hub));
  }, 60_000);
  afterAll(async () => {
    await hub?.kill();
    for (const made of places) await made.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  test('while calls run, and the process is killed: a restored hub has the same users, balances, logs and keys', async () => {
    const ending = new AbortController();
    const callers = Array.from({ length: 4 }, async () => {
      let made = 0;
      while (!ending.signal.aborted) if ((await chat(hub, key).catch(() => ({ status: 0 }))).status === 200) made++;
      return made;
    });
    await expect
      .poll(async () => (await hub.root.call(userApi.self)).request_count, { message: 'calls in the books' })
      .toBeGreaterThan(3);
    const backup = await run('backup', ['--to', folder], original);
    expect(backup).toMatchObject({ code: 0, text: expect.stringContaining('has the data key') });
    ending.abort();
    const made = (await Promise.all(callers)).reduce((sum, each) => sum + each, 0);
    await hub.kill();
    expect(made).toBeGreaterThan(3);
    expect(archives()).toHaveLength(1);
    expect(archives()[0]).toMatch(/relay-hub-[0-9a-f]{8}-\d{8}T\d{6}Z\.tar\.gz\.age$/);

    const copy = await place();
    const restored = await run('restore', ['--from', archives()[0]!], copy);
    expect(restored).toMatchObject({ code: 0, text: expect.stringContaining('The accounting is balanced.') });
    const [before, after] = [await contentOf(original), await contentOf(copy)];
    expect(after['tokens']!.map((row) => (row as { key_hash: string }).key_hash)).toEqual(
      before['tokens']!.map((row) => (row as { key_hash: string }).key_hash),
    );
    expect(after['channels']).toEqual(before['channels']);
    expect([before['backups'], after['backups']], 'a copy is not its own killed run').toEqual([
      [{ state: 'done' }],
      [],
    ]);
    // Calls after the backup are the only difference; calls that were open are released free of charge.
    const charged = (content: Record<string, unknown[]>) =>
      (content['logs'] as { request_id: string; quota: number }[]).filter(({ quota }) => quota > 0);
    const all = new Map(charged(before).map((row) => [row.request_id, row.quota]));
    expect(charged(after).length).toBeGreaterThan(3);
    for (const row of charged(after)) expect(all.get(row.request_id)).toBe(row.quota);

    const again = await startProcess(copy);
    try {
      expect((await again.root.call(userGroupApi.list, { query: { order: 'id' } })).data).toHaveLength(3);
      const call = await chat(again, key);
      expect(call.status).toBe(200);
      const { data } = await again.root.call(tokenApi.list, { query: { order: 'id' } });
      expect((await again.root.call(tokenApi.reveal, { params: { id: data[0]!.id } })).key).toBe(key);
    } finally {
      await again.kill();
    }
  }, 60_000);

  test('over a newer installation is refused with what would be lost', async () => {
    const [archive] = archives();
    const { code, text } = await run('restore', ['--from', archive!, '--yes'], original);
    expect(code).toBe(1);
    if (original.databaseUrl !== undefined) {
      expect(text).toMatch(/not empty|calls in its journal/);
      return;
    }
    const before = await contentOf(original);
    expect(text).toMatch(/\d+ (ledger entries|log rows)/);
    expect(text).toContain('--force');
    expect(await contentOf(original)).toEqual(before);
    const forced = await run('restore', ['--from', archive!, '--force'], original);
    expect(forced).toMatchObject({ code: 0, text: expect.stringContaining('The accounting is balanced.') });
    const aside = readdirSync(original.dataDir).find((name) => name.startsWith('before-restore-'))!;
    expect(existsSync(path.join(original.dataDir, aside, 'relay-hub.db'))).toBe(true);
    const old = { dataDir: path.join(original.dataDir, aside), databaseUrl: undefined };
    expect((await contentOf(old))['users']).toEqual(before['users']);
  }, 60_000);
}

describe('a backup (SQLite)', () => {
  suite(emptySqlite);
});

describe.skipIf(!hasPostgresTools)('a backup (PostgreSQL of the same version as its client)', () => {
  let server: Awaited<ReturnType<typeof startClientsPostgres>>;
  beforeAll(async () => {
    server = await startClientsPostgres();
  }, 60_000);
  afterAll(() => server?.stop());
  suite(() => emptyPostgresOn(server.url)());
});
