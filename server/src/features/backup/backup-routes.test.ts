import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { auditApi, backupApi, optionApi, userApi } from '@relay-hub/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { restoreBackup } from '#backup/restore-backup.ts';
import { backUpIfDue } from '#jobs/watch-backups.ts';
import { emptySqlite, newSqlite } from '#testing/databases.ts';
import { hubForSuite } from '#testing/hub.ts';

const PASSPHRASE = 'the passphrase of a download';
const DAY_S = 86_400;

const hub = hubForSuite(newSqlite);
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'relay-hub-backups-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const list = () => hub().root.call(backupApi.list);
const set = (values: Record<string, string | null>) => hub().root.call(optionApi.setMany, { body: { values } });

async function made(): Promise<number> {
  const { id } = await hub().root.call(backupApi.start);
  await expect.poll(async () => (await list()).backups.find((each) => each.id === id)?.state).not.toBe('running');
  return id;
}

/** Downloads as a browser does. */
const fetched = (address: string) => fetch(hub().url + address, { headers: { cookie: hub().root.cookie } });

/** Restores an archive into a new folder; whether it came with the key. */
async function restoredWithKey(bytes: Uint8Array, passphrase: string): Promise<boolean> {
  const file = path.join(folder, 'downloaded');
  writeFileSync(file, bytes);
  const target = await emptySqlite();
  try {
    const place = { dataDir: target.dataDir, databaseUrl: undefined, secretKey: undefined };
    await restoreBackup(place, { archive: file, passphrase, force: false });
    return readdirSync(target.dataDir).includes('secret.key');
  } finally {
    await target.remove();
    rmSync(file);
  }
}

test('a backup started in the console is listed, downloaded encrypted with the key, and deleted', async () => {
  expect(await list()).toEqual({
    backups: [],
    next_time: 0,
    folder: path.join(hub().server.deps.config.dataDir, 'backups'),
  });
  await set({ BackupFolder: folder });
  const id = await made();
  const [backup] = (await list()).backups;
  expect(backup).toMatchObject({ id, state: 'done', cause: 'console', actor: 'root', encrypted: false, here: true });
  expect(readFileSync(backup!.file).length).toBe(backup!.bytes);

  const { address } = await hub().root.call(backupApi.link, { params: { id }, body: { passphrase: PASSPHRASE } });
  expect(address).not.toContain(PASSPHRASE);
  const reply = await fetched(address);
  expect(reply.status).toBe(200);
  expect(reply.headers.get('content-disposition')).toContain(`${path.basename(backup!.file)}.age`);
  const bytes = new Uint8Array(await reply.arrayBuffer());
  expect(await restoredWithKey(bytes, PASSPHRASE)).toBe(true);
  await expect(restoredWithKey(bytes, 'another passphrase')).rejects.toThrow('The passphrase is wrong');

  const { data } = await hub().root.call(auditApi.list);
  expect(JSON.stringify(data)).not.toContain(PASSPHRASE);
  expect(JSON.stringify(data)).toContain('/api/backup/:id/link');

  await hub().root.call(backupApi.remove, { params: { id } });
  expect(readdirSync(folder)).toEqual([]);
  const gone = await hub().root.try(backupApi.link, { params: { id }, body: { passphrase: PASSPHRASE } });
  expect(gone).toMatchObject({ status: 409, body: { code: 'backup.elsewhere' } });
});

test('a download needs a fresh proof and an address of the last minute; a short passphrase is refused', async () => {
  const { db, now, secrets } = hub().server.deps;
  const id = await made();
  const ask = (passphrase = PASSPHRASE) => hub().root.try(backupApi.link, { params: { id }, body: { passphrase } });
  expect(await ask('too short')).toMatchObject({ status: 400, body: { code: 'input.invalid' } });
  const { address } = await hub().root.call(backupApi.link, { params: { id }, body: { passphrase: PASSPHRASE } });
  const code = async (to: string) => ((await (await fetched(to)).json()) as { code: string }).code;
  const old = secrets.encrypt(JSON.stringify({ backup: id, user: 1, passphrase: PASSPHRASE, until: now() - 1 }));
  const other = secrets.encrypt(JSON.stringify({ backup: id, user: 2, passphrase: PASSPHRASE, until: now() + 60 }));
  for (const ticket of [old, other, `${old}x`, 'x'])
    expect(await code(`/api/backup/download?ticket=${ticket}`)).toBe('backup.ticket');
  await db
    .updateTable('sessions')
    .set({ proved_time: now() - 3600 })
    .execute();
  expect(await code(address)).toBe('session.proof');
  expect(await ask()).toMatchObject({ status: 403, body: { code: 'session.proof' } });
  expect(await hub().root.try(backupApi.remove, { params: { id } })).toMatchObject({ status: 403 });
  await hub().root.call(userApi.login, { body: { username: 'root', password: 'a-password-for-tests' } });
});

test('with a passphrase in the settings archives are encrypted; a later passphrase does not open them', async () => {
  await set({ BackupPassphrase: 'the passphrase of the site' });
  const id = await made();
  const { file, encrypted } = (await list()).backups[0]!;
  expect({ encrypted, end: file.endsWith('.age') }).toEqual({ encrypted: true, end: true });
  const { address } = await hub().root.call(backupApi.link, { params: { id }, body: { passphrase: PASSPHRASE } });
  expect(await restoredWithKey(new Uint8Array(await (await fetched(address)).arrayBuffer()), PASSPHRASE)).toBe(true);
  await set({ BackupPassphrase: 'another passphrase of the site' });
  const refused = await hub().root.try(backupApi.link, { params: { id }, body: { passphrase: PASSPHRASE } });
  expect(refused).toMatchObject({ status: 409, body: { code: 'backup.unreadable' } });
  await set({ BackupPassphrase: null });
});

test('the schedule makes one backup a day, on one node, and tries again an hour after a failure', async () => {
  const { deps } = hub().server;
  await set({ BackupEnabled: 'true', BackupHour: '3', BackupKeepCount: '2', BackupFolder: folder });
  const { next_time: next } = await list();
  expect(new Date(next * 1000).getHours()).toBe(3);
  const at = async (time: number, nodes = 1) => {
    const rounds = Array.from({ length: nodes }, () => backUpIfDue({ ...deps, now: () => time }));
    const runs = (await Promise.all(rounds)).filter((run) => run !== undefined);
    await Promise.allSettled(runs.map(({ done }) => done));
    return runs.length;
  };
  expect(await at(next - 1)).toBe(0);
  expect(await at(next, 3)).toBe(1);
  expect(await at(next + 3600)).toBe(0);
  expect((await list()).backups[0]).toMatchObject({ cause: 'schedule', state: 'done', actor: '' });

  const file = path.join(folder, 'not-a-folder');
  writeFileSync(file, '');
  await set({ BackupFolder: file });
  const tomorrow = next + DAY_S;
  expect(await at(tomorrow)).toBe(1);
  expect((await list()).backups[0]).toMatchObject({ state: 'failed', error: expect.stringContaining('not-a-folder') });
  expect(await at(tomorrow + 600)).toBe(0);
  await set({ BackupFolder: folder });
  expect(await at(tomorrow + 3601)).toBe(1);
  expect((await list()).backups.filter(({ here }) => here)).toHaveLength(2);
});

test('a backup whose process was killed ends as failed, and does not block the next one', async () => {
  const { db, now } = hub().server.deps;
  const row = {
    cause: 'schedule',
    actor_id: 0,
    host: 'x',
    lock: 'running',
    slot: '1700000000 1',
    state: 'running',
    encrypted: false,
  } as const;
  const { id } = await db
    .insertInto('backups')
    .values({ ...row, started_time: now(), seen_time: now() })
    .returning('id')
    .executeTakeFirstOrThrow();
  expect(await hub().root.try(backupApi.start)).toMatchObject({ status: 409, body: { code: 'backup.running' } });
  await db
    .updateTable('backups')
    .set({ seen_time: now() - 120 })
    .where('id', '=', id)
    .execute();
  await Promise.all([1, 2].map(() => backUpIfDue(hub().server.deps)));
  expect((await list()).backups.find((each) => each.id === id)).toMatchObject({
    state: 'failed',
    error: 'The process ended before the backup was complete.',
  });
  await made();
});
