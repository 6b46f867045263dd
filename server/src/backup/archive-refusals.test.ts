import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Readable } from 'node:stream';
import { gunzipSync, gzipSync } from 'node:zlib';
import { packTar, unpackTar } from 'modern-tar';
import pg from 'pg';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { type EmptyDatabase, emptyPostgres, emptySqlite, newPostgres } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';
import { openAge } from './age-file.ts';
import { foreignInDump, foreignInPostgres } from './foreign-objects.ts';
import { findTool, majorOf } from './postgres-tools.ts';
import { pruneBackups } from './prune-backups.ts';
import { restoreBackup } from './restore-backup.ts';
import { archiveName, writeBackup, type WrittenBackup } from './write-backup.ts';

const PASSPHRASE = 'correct horse battery';
const NOW = 1_800_000_000;

let folder: string;
let database: EmptyDatabase;
let sealed: WrittenBackup;
let plain: WrittenBackup;

const hub = hubForSuite(async () => (database = await emptySqlite()));

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'relay-hub-backups-'));
  const { config } = hub().server.deps;
  const write = (passphrase: string | undefined) => writeBackup(config, { folder, passphrase, media: true, now: NOW });
  [sealed, plain] = [await write(PASSPHRASE), await write(undefined)];
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Restores into a new folder that has the files of `prepare`; the folder afterwards, and the refusal. */
async function into(archive: string, more: { passphrase?: string; secretKey?: string; key?: boolean } = {}) {
  const target = await emptySqlite();
  if (more.key) copyFileSync(path.join(database.dataDir, 'secret.key'), path.join(target.dataDir, 'secret.key'));
  const before = readdirSync(target.dataDir);
  try {
    const refusal = await restoreBackup(
      { dataDir: target.dataDir, databaseUrl: undefined, secretKey: more.secretKey },
      { archive, passphrase: 'passphrase' in more ? more.passphrase : PASSPHRASE, force: false },
    ).then(
      () => 'restored',
      (error: Error) => error.message,
    );
    const after = readdirSync(target.dataDir);
    if (refusal !== 'restored') expect(after).toEqual(before);
    return { refusal, after };
  } finally {
    await target.remove();
  }
}

/** The archive with other bytes. */
async function altered(of: WrittenBackup, change: (bytes: Buffer) => Buffer | string): Promise<string> {
  const file = path.join(folder, 'altered');
  writeFileSync(file, change(readFileSync(of.file)));
  return file;
}
/** Several bytes: a single bit of a compressed run of zeros may change nothing. */
const flipped = (bytes: Buffer): Buffer => {
  const middle = bytes.length >> 1;
  for (let at = middle; at < middle + 64; at++) bytes[at]! ^= 0xff;
  return bytes;
};

test('an archive with another passphrase, cut or changed is refused before anything is written', async () => {
  expect((await into(sealed.file)).after.toSorted()).toEqual(['database.id', 'relay-hub.db', 'secret.key']);
  expect((await into(sealed.file, { passphrase: 'another passphrase' })).refusal).toContain('The passphrase is wrong');
  expect((await into(sealed.file, { passphrase: undefined as never })).refusal).toContain('passphrase is needed');
  for (const [of, cut] of [
    [sealed, 1],
    [sealed, 20_000],
    [plain, 1],
    [plain, 20_000],
  ] as const)
    expect((await into(await altered(of, (bytes) => bytes.subarray(0, -cut)), { key: true })).refusal).toMatch(
      /cut|damaged/,
    );
  expect((await into(await altered(sealed, flipped))).refusal).toMatch(/changed/);
  expect((await into(await altered(plain, flipped), { key: true })).refusal).toMatch(/changed|damaged/);
  expect((await into(await altered(plain, () => 'no archive'))).refusal).toContain('not a backup');
});

test('an archive without a data key needs the key beside it, and refuses another one', async () => {
  expect(gunzipSync(readFileSync(plain.file)).includes(readFileSync(path.join(database.dataDir, 'secret.key')))).toBe(
    false,
  );
  expect((await into(plain.file)).refusal).toContain('has no data key');
  expect((await into(plain.file, { key: true })).refusal).toBe('restored');
  expect((await into(plain.file, { secretKey: 'x'.repeat(40) })).refusal).toContain('SECRET_KEY is not the data key');
  expect((await into(sealed.file, { secretKey: 'x'.repeat(40) })).refusal).toContain('SECRET_KEY is not the data key');
});

test('a file that was replaced in an archive is found by its hash, and a strange one by its name', async () => {
  const files = async (change: (name: string) => string, content?: Buffer) => {
    const entries = await unpackTar(gunzipSync(readFileSync(plain.file)));
    const packed = await packTar(
      entries.map(({ header, data }) => {
        const body = header.name === 'database.id' && content ? content : data!;
        return { header: { ...header, name: change(header.name), size: body.length }, data: body };
      }),
    );
    return into(await altered(plain, () => gzipSync(packed)), { key: true });
  };
  expect((await files((name) => name)).refusal).toBe('restored');
  expect((await files((name) => name, Buffer.from('another'))).refusal).toBe('database.id in the archive was changed.');
  const strange = await files((name) => (name === 'database.id' ? '../database.id' : name));
  expect(strange.refusal).toContain('not part of a backup: ../database.id');
});

const foreign = [
  [
    'a trigger',
    'create trigger promote after insert on users begin update users set role = 100; end',
    'trigger promote',
  ],
  ['a view', 'create view all_keys as select * from tokens', 'view all_keys'],
  ['a virtual table', 'create virtual table found using fts5(text)', 'table found'],
] as const;

test.each(foreign)('%s is neither backed up nor restored, and is named', async (_, statement, named) => {
  // A copy of the database with it, in an archive whose hashes are right.
  const entries = await unpackTar(gunzipSync(readFileSync(plain.file)));
  const place = await emptySqlite();
  const copy = path.join(place.dataDir, 'relay-hub.db');
  writeFileSync(copy, entries.find(({ header }) => header.name === 'relay-hub.db')!.data!);
  const changed = new DatabaseSync(copy);
  changed.exec(statement);
  changed.close();
  await expect(
    writeBackup({ ...place, secretKey: 'x'.repeat(40) }, { folder, passphrase: undefined, media: false, now: NOW + 3 }),
  ).rejects.toThrow(named);
  const sums = entries.find(({ header }) => header.name === 'SHA256SUMS')!;
  const hash = createHash('sha256').update(readFileSync(copy)).digest('hex');
  const lines = Buffer.from(sums.data!)
    .toString()
    .replace(/^\w+(?=  relay-hub\.db$)/m, hash);
  const content = (name: string, data: Uint8Array) =>
    name === 'relay-hub.db' ? readFileSync(copy) : name === 'SHA256SUMS' ? Buffer.from(lines) : Buffer.from(data);
  const packed = await packTar(
    entries.map(({ header, data }) => {
      const body = content(header.name, data!);
      return { header: { ...header, size: body.length }, data: body };
    }),
  );
  const { refusal } = await into(await altered(plain, () => gzipSync(packed)), { key: true });
  expect(refusal).toContain(named);
  await place.remove();
});

test.skipIf(inject('postgresUrl') === '')(
  'objects that act by themselves are found in PostgreSQL and in its dumps',
  async () => {
    const hostile = await newPostgres();
    const client = new pg.Client({ connectionString: hostile.databaseUrl });
    await client.connect();
    try {
      const names = async () => (await client.query<{ name: string }>(foreignInPostgres)).rows.map(({ name }) => name);
      expect(await names()).toEqual([]);
      await client.query(`
      create function act() returns trigger language plpgsql as 'begin return new; end';
      create trigger promote before insert on users for each row execute function act();
      create rule quiet as on delete to users do instead nothing;
      create policy mine on users using (true);
      create view all_keys as select id from tokens`);
      expect(await names()).toEqual(['function act', 'policy mine', 'rule quiet', 'trigger promote', 'view all_keys']);
    } finally {
      await client.end();
      await hostile.remove();
    }
    const list = [
      ';     dbname: hub',
      '5; 2615 2200 SCHEMA - public pg_database_owner',
      '220; 1259 16420 TABLE public users hub',
      '219; 1259 16419 SEQUENCE public users_id_seq hub',
      '4010; 0 0 SEQUENCE OWNED BY public users_id_seq hub',
      '3500; 0 16420 TABLE DATA public users hub',
      '3400; 2606 16428 CONSTRAINT public users users_pkey hub',
    ];
    expect(foreignInDump(list.join('\n'))).toEqual([]);
    const bad = [
      '3600; 2620 16500 TRIGGER public users promote hub',
      '300; 1255 16499 FUNCTION public act() hub',
      'odd',
    ];
    expect(foreignInDump([...list, ...bad].join('\n'))).toEqual([
      'trigger public users promote hub',
      'function public act() hub',
      'entry odd',
    ]);
  },
);

test('a folder that cannot be made is refused at once', async () => {
  const { config } = hub().server.deps;
  await expect(
    writeBackup(config, { folder: '/proc/relay-hub/backups', passphrase: undefined, media: false, now: NOW }),
  ).rejects.toThrow('The folder /proc/relay-hub/backups cannot be used');
});

test('a folder that a hub uses is refused, and so is a backup of a newer version', async () => {
  const { config, db } = hub().server.deps;
  const over = (archive: string) =>
    restoreBackup(
      { dataDir: config.dataDir, databaseUrl: undefined, secretKey: undefined },
      { archive, passphrase: PASSPHRASE, force: true },
    );
  // A process on the same machine that is not this one: its heartbeat is fresh.
  const now = Math.floor(Date.now() / 1000);
  const other = { id: 'other', host: 'elsewhere', pid: 1, started_time: now, seen_time: now };
  await db.insertInto('nodes').values(other).execute();
  await expect(over(sealed.file)).rejects.toThrow('running on this database (elsewhere 1)');
  await db
    .insertInto('kysely_migration' as never)
    .values({ name: '9999-later', timestamp: '2099' })
    .execute();
  const later = await writeBackup(config, { folder, passphrase: undefined, media: false, now: NOW + 1 });
  await db
    .deleteFrom('kysely_migration' as never)
    .where('name' as never, '=', '9999-later' as never)
    .execute();
  await db.deleteFrom('nodes').where('id', '=', 'other').execute();
  expect((await into(later.file, { key: true })).refusal).toContain('newer version');
  rmSync(later.file);
});

test('retention keeps the newest archives of one installation, and at least one', async () => {
  const { databaseId } = sealed;
  const name = (day: string, id = databaseId.slice(0, 8)) => `relay-hub-${id}-202701${day}T030000Z.tar.gz`;
  const own = await mkdtemp(path.join(folder, 'kept-'));
  for (const file of [name('10'), name('11'), name('12'), name('01', 'another0'), 'notes.txt'])
    writeFileSync(path.join(own, file), '');
  const at = (day: number) => Date.UTC(2027, 0, day) / 1000;
  expect(await pruneBackups(own, databaseId, { count: 0, days: 0 }, at(30))).toEqual([]);
  expect(await pruneBackups(own, databaseId, { count: 2, days: 0 }, at(13))).toEqual([path.join(own, name('10'))]);
  expect(await pruneBackups(own, databaseId, { count: 0, days: 5 }, at(30))).toEqual([path.join(own, name('11'))]);
  expect(readdirSync(own)).toEqual([name('01', 'another0'), name('12'), 'notes.txt'].toSorted());
  // A database of an early version has no id.
  expect(archiveName('').test('relay-hub-20270110T030000Z.tar.gz')).toBe(true);
  expect(archiveName('').test(name('12'))).toBe(false);
});

test('a file that the program age has written is opened', async () => {
  // age 1.1.1, `age -p`, of the text "made by age 1.1.1\n".
  const bytes = Buffer.from(
    'YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNjcnlwdCAxbG5NVWJVWC84eWlhaTh6SkNNOE5nIDE4CnVadUdIYUdUOFg3NlNUUXVLWnVTQlBPRUg1' +
      'eFR1RFMrQWdWQW45bzB4NVUKLS0tIEVmUVAwekdwOWR0QUxJdGo1dm9iS0pKOUUxL015M01nczZOV3NPczYxUVUKgfe2utAo7rfqijkLrxcsImIy' +
      'Jcqahn9R9FYzACajwRZPmcWRgAYs1/GiVBPXYRfvOMw=',
    'base64',
  );
  const chunks: Buffer[] = [];
  for await (const chunk of openAge(PASSPHRASE, Readable.from([bytes]))) chunks.push(chunk);
  expect(Buffer.concat(chunks).toString()).toBe('made by age 1.1.1\n');
});

test('a pg_dump that is older than the server, or absent, is refused with both versions', async () => {
  await expect(findTool('pg_dump', '999.1', 'the server')).rejects.toThrow(
    /^pg_dump (has version \d+\.\d+, and|is not installed).*the server has version 999\.1/,
  );
  const installed = await findTool('pg_dump', '1', 'the server').catch(() => undefined);
  const server = inject('postgresUrl');
  if (server === '' || (installed && majorOf(installed.version) >= 18)) return;
  const old = await emptyPostgres();
  try {
    const { secretKey } = hub().server.deps.config;
    await expect(
      writeBackup({ ...old, secretKey }, { folder, passphrase: undefined, media: false, now: NOW + 2 }),
    ).rejects.toThrow(/pg_dump .*the server.* has version 18/);
  } finally {
    await old.remove();
  }
  expect(readdirSync(folder).filter((name) => name.startsWith('.backup-'))).toEqual([]);
});
