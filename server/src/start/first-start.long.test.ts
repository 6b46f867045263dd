import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { channelApi, optionApi, tokenApi, userApi, userGroupApi } from '@relay-hub/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openStorage } from '#db/open.ts';
import { Journal, journalFolder, readJournal } from '#quota/journal.ts';
import { caughtUp } from '#testing/caught-up.ts';
import { chat } from '#testing/chat.ts';
import type { EmptyDatabase } from '#testing/databases.ts';
import { onEveryEmptyDatabase } from '#testing/databases.ts';
import { addChannel, addToken, ApiClient, ROOT_PASSWORD, startHub, upstreamForSuite } from '#testing/hub.ts';
import { readConfig } from '#config.ts';
import { startServer } from '#server.ts';

/** Tables that a restart must not change; those of running nodes and sessions may. */
const tables = [
  'users',
  'user_groups',
  'channels',
  'tokens',
  'prices',
  'model_owners',
  'options',
  'revisions',
  'ledger',
  'logs',
  'leases',
  'kysely_migration',
] as const;

async function contentOf(database: EmptyDatabase): Promise<Record<string, unknown[]>> {
  const storage = openStorage(database);
  try {
    const entries = tables.map(
      async (table) =>
        [table, (await sql<object>`select * from ${sql.table(table)} order by 1`.execute(storage.db)).rows] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  } finally {
    await storage.close();
  }
}

const withoutLogins = (content: Record<string, unknown[]>) => ({
  ...content,
  users: content['users']!.map((user) => ({ ...(user as object), last_login_time: 0 })),
});

onEveryEmptyDatabase('the first start and those after it', (make) => {
  const upstream = upstreamForSuite();
  let database: EmptyDatabase;
  /** Reported passwords of `root`. */
  let told: string[];
  beforeEach(async () => {
    database = await make();
    told = [];
  });
  afterEach(() => database.remove());

  const start = (env: Record<string, string> = {}, { dataDir, databaseUrl } = database) =>
    startServer(
      readConfig({
        PORT: '0',
        HOST: '127.0.0.1',
        DATA_DIR: dataDir,
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: 'silent',
        ...env,
      }),
      { tellRootPassword: (password) => told.push(password) },
    );

  test('root gets a random password, told once', async () => {
    const first = await start();
    const password = told[0]!;
    expect(password).toMatch(/^[A-Za-z0-9]{16}$/);
    const root = await new ApiClient(`http://127.0.0.1:${first.port}`).signIn('root', password);
    expect(await root.call(userApi.self)).toMatchObject({
      username: 'root',
      role: 100,
      quota: 100_000_000,
      group: 'default',
    });
    expect((await root.call(userGroupApi.list, { query: { order: 'id' } })).data.map(({ symbol }) => symbol)).toEqual([
      'default',
      'vip',
      'svip',
    ]);
    await first.close(0);
    expect(JSON.stringify(await contentOf(database))).not.toContain(password);
    const second = await start();
    expect(told).toEqual([password]);
    await new ApiClient(`http://127.0.0.1:${second.port}`).signIn('root', password);
    await second.close(0);
  });

  test('a start that ends because its port is taken tells no password, and the next start does', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(start({ PORT: String(port) })).rejects.toThrow(`PORT ${port} is in use`);
    expect(told).toEqual([]);
    taken.close();
    const { db, close } = openStorage(database);
    expect(await db.selectFrom('nodes').selectAll().execute()).toEqual([]);
    await close();
    const server = await start();
    expect(told).toHaveLength(1);
    await new ApiClient(`http://127.0.0.1:${server.port}`).signIn('root', told[0]!);
    await server.close(0);
  });

  test('two installations have two passwords', async () => {
    const other = await make();
    const [one, two] = [await start(), await start({}, other)];
    expect(new Set(told).size).toBe(2);
    await Promise.all([one.close(0), two.close(0)]);
    await other.remove();
  });

  test('nodes that start at the same time on a new database create everything once', async () => {
    const key = { SECRET_KEY: 'the-key-that-all-the-nodes-have-0123456789' };
    const nodes = await Promise.all([start(key), start(key), start(key)]);
    expect(told).toHaveLength(1);
    await Promise.all(nodes.map((node) => node.close(0)));
    const { users, user_groups: groups, ledger, prices } = await contentOf(database);
    expect([users, groups, ledger].map((rows) => rows?.length)).toEqual([1, 3, 1]);
    const models = prices!.map((price) => (price as { model: string }).model);
    expect(new Set(models).size).toBe(models.length);
  });

  test('a given password is not printed, and ignored later; an easy one is refused', async () => {
    await expect(start({ ROOT_PASSWORD: 'password123' })).rejects.toThrow('ROOT_PASSWORD is among the passwords');
    const first = await start({ ROOT_PASSWORD: 'the-first-password' });
    expect(told).toEqual([]);
    await first.close(0);
    const second = await start({ ROOT_PASSWORD: 'another-password' });
    const client = new ApiClient(`http://127.0.0.1:${second.port}`);
    expect(
      (await client.try(userApi.login, { body: { username: 'root', password: 'another-password' } })).body.success,
    ).toBe(false);
    await client.signIn('root', 'the-first-password');
    await second.close(0);
  });

  test('the second start keeps everything, sessions and keys included', async () => {
    const first = await startHub(database);
    await addChannel(first, upstream().url, { key: 'sk-kept-over-the-restart' });
    const { id, key } = await addToken(first);
    await first.root.call(optionApi.set, { body: { key: 'SystemName', value: 'Kept' } });
    expect((await chat(first, key)).status).toBe(200);
    const { cookie } = first.root;
    await caughtUp(first.server.deps.db);
    await first.close();
    const before = await contentOf(database);

    const second = await start({ ROOT_PASSWORD });
    const url = `http://127.0.0.1:${second.port}`;
    const client = new ApiClient(url);
    client.cookie = cookie;
    expect(await client.call(tokenApi.reveal, { params: { id } })).toEqual({ key });
    expect(await client.call(channelApi.list)).toMatchObject({ total_count: 1 });
    await second.close(0);
    expect(withoutLogins(await contentOf(database))).toEqual(withoutLogins(before));

    const third = await startHub(database);
    expect((await chat(third, key)).status).toBe(200);
    expect(upstream().requests.at(-1)?.headers.authorization).toBe('Bearer sk-kept-over-the-restart');
    await third.close();
  });

  test('another data key ends the start, and changes nothing', async () => {
    const first = await startHub(database, { SECRET_KEY: 'the-key-of-the-first-start-0123456789' });
    await addChannel(first, upstream().url);
    await first.close();
    const before = await contentOf(database);
    await expect(start({ SECRET_KEY: 'another-key-altogether-0123456789-0123' })).rejects.toThrow(
      /SECRET_KEY .* is not the key that this database was written with/,
    );
    // Nor does a new secret.key help, made because the old one was lost.
    await expect(start()).rejects.toThrow(/Restore the old key/);
    expect(await contentOf(database)).toEqual(before);
    const again = await start({ SECRET_KEY: 'the-key-of-the-first-start-0123456789' });
    await again.close(0);
  });

  test('a database of a newer version ends the start, and is not changed', async () => {
    await (await start()).close(0);
    const storage = openStorage(database);
    await sql`insert into kysely_migration (name, timestamp) values ('9999-of-the-future', '2099-01-01')`.execute(
      storage.db,
    );
    await storage.close();
    const before = await contentOf(database);
    await expect(start()).rejects.toThrow(
      /newer version: it has 9999-of-the-future, .*restore the backup.*Nothing was changed/,
    );
    expect(await contentOf(database)).toEqual(before);
  });

  test('processes of an older version on the same database end the start, and nothing is changed under them', async () => {
    await (await start()).close(0);
    const storage = openStorage(database);
    await sql`delete from kysely_migration where name = '0114-learnt-limits'`.execute(storage.db);
    const now = Math.floor(Date.now() / 1000);
    await storage.db
      .insertInto('nodes')
      .values({ id: 'older', host: 'elsewhere namespace', pid: 7, started_time: now, seen_time: now })
      .execute();
    await storage.close();
    const before = await contentOf(database);
    await expect(start()).rejects.toThrow(/older version are running on it \(elsewhere 7\)\. Stop them first/);
    expect(await contentOf(database)).toEqual(before);
  });

  test('a database of another program ends the start, and keeps what it holds', async () => {
    const storage = openStorage(database);
    // The last table that is made: whatever comes before it is taken back.
    await sql`create table usage_by_channel (name text)`.execute(storage.db);
    await sql`insert into usage_by_channel values ('somebody else')`.execute(storage.db);
    await storage.close();
    await expect(start()).rejects.toThrow(/another program; nothing in it was replaced/);
    const after = openStorage(database);
    expect((await sql`select * from usage_by_channel`.execute(after.db)).rows).toEqual([{ name: 'somebody else' }]);
    expect((await after.db.introspection.getTables()).map(({ name }) => name)).toEqual(['usage_by_channel']);
    await after.close();
  });

  test('a folder of another database ends the start, and its open settlements stay', async () => {
    await (await start()).close(0);
    const { dataDir } = database;
    const folder = journalFolder(dataDir);
    const journal = new Journal(folder, 'dead');
    const call = { requestId: 'owed', userId: 1, tokenId: 0, reserved: 0, priceVersion: 1, model: 'gpt-4o' };
    journal.open(call);
    journal.write();
    const other = await make();
    const files = ['relay-hub.db', 'relay-hub.db-wal', 'relay-hub.db-shm'].map((name) => path.join(dataDir, name));
    for (const file of files.filter((name) => existsSync(name))) renameSync(file, `${file}.moved`);
    for (const DATABASE_URL of ['', other.databaseUrl ?? ''])
      await expect(start({ DATABASE_URL })).rejects.toThrow(/is empty, but .*Nothing was written/);
    expect(told).toHaveLength(1);
    expect(readJournal(folder, 'dead').open).toEqual([call]);

    for (const file of files) {
      rmSync(file, { force: true });
      if (existsSync(`${file}.moved`)) renameSync(`${file}.moved`, file);
    }
    await (await start()).close(0);
    expect(readJournal(folder, 'dead').files).toEqual([]);
    await other.remove();
  });

  test.each(['', '\0'.repeat(37), 'the beginning'])(
    'a file of the database’s id that a crash has cut is made whole again: %j',
    async (left) => {
      await (await start()).close(0);
      const file = path.join(database.dataDir, 'database.id');
      const whole = readFileSync(file, 'utf8');
      writeFileSync(file, left === 'the beginning' ? whole.slice(0, 10) : left);
      await (await start()).close(0);
      expect(readFileSync(file, 'utf8')).toBe(whole);
      expect(told).toHaveLength(1);
    },
  );

  test('a cut file of another database’s id, or one beside calls that are owed, ends the start', async () => {
    await (await start()).close(0);
    const file = path.join(database.dataDir, 'database.id');
    const whole = readFileSync(file, 'utf8');
    const foreign = `${whole.startsWith('0') ? 'f' : '0'}${whole.slice(1, 10)}`;
    writeFileSync(file, foreign);
    await expect(start()).rejects.toThrow(/belongs to another database.*database\.id is damaged/);
    expect(readFileSync(file, 'utf8')).toBe(foreign);

    const other = await make();
    writeFileSync(path.join(other.dataDir, 'database.id'), '');
    const journal = new Journal(journalFolder(other.dataDir), 'dead');
    journal.open({ requestId: 'owed', userId: 1, tokenId: 0, reserved: 0, priceVersion: 1, model: 'gpt-4o' });
    journal.write();
    const there = { DATA_DIR: other.dataDir, DATABASE_URL: other.databaseUrl ?? '' };
    await expect(start(there)).rejects.toThrow(/belongs to another database.*database\.id is damaged/);
    journal.renew();
    rmSync(journalFolder(other.dataDir), { recursive: true });
    await (await start(there)).close(0);
    expect(readFileSync(path.join(other.dataDir, 'database.id'), 'utf8')).toMatch(/^[0-9a-f-]{36}\n$/);
    await other.remove();
  });

  test('a backup from before databases had ids is accepted', async () => {
    await (await start()).close(0);
    const storage = openStorage(database);
    await storage.db.deleteFrom('options').where('key', '=', 'database-id').execute();
    await storage.close();
    for (let i = 0; i < 2; i++) await (await start()).close(0);
    expect(told).toHaveLength(1);
  });

  test('a port that is taken ends the start', async () => {
    const first = await start();
    await expect(start({ PORT: String(first.port) })).rejects.toThrow(`PORT ${first.port} is in use`);
    expect((await fetch(`http://127.0.0.1:${first.port}/readyz`)).status).toBe(200);
    await first.close(0);
  });

  test('a file that is not a database ends the start and is unchanged', async () => {
    if (database.databaseUrl !== undefined) {
      const nowhere = new URL(database.databaseUrl);
      nowhere.pathname = '/there_is_no_such_database';
      await expect(start({ DATABASE_URL: nowhere.href })).rejects.toThrow(/does not exist/);
      return;
    }
    const file = path.join(database.dataDir, 'relay-hub.db');
    writeFileSync(file, 'these are somebody’s notes, and no database\n'.repeat(200));
    const before = readFileSync(file);
    await expect(start()).rejects.toThrow(/relay-hub\.db cannot be used: file is not a database/);
    expect(readFileSync(file)).toEqual(before);
  });
});
