import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { sql } from 'kysely';
import { newerThanThisBuild } from '#db/migrate.ts';
import { openStorage } from '#db/open.ts';
import { keyOpens } from '#start/first-start.ts';
import { openArchive } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { foreignInSqlite, refuseForeign } from './foreign-objects.ts';
import { lossesOf } from './losses.ts';
import { DUMP_FILE, ID_FILE, KEY_FILE, type Manifest, SQLITE_FILE } from './manifest.ts';
import type { RestoreTarget } from './restore-target.ts';
import { ensureFolder } from './write-backup.ts';

const JOURNAL = 'journal';
/** Moved aside, in this order; SQLite's side files belong to the database they are next to. */
const replaced = [SQLITE_FILE, `${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`, JOURNAL];

/**
 * Moves unpacked files into a data directory, and those they replace into a folder below it, whose path is returned;
 * undefined if there were none. `database.id` is replaced last: until then a start of the hub on the half-replaced
 * folder is refused, instead of beginning with an empty database.
 */
async function placeFiles(
  stage: string,
  dataDir: string,
  { withKey }: { withKey: boolean },
): Promise<string | undefined> {
  const aside = path.join(dataDir, `before-restore-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}`);
  const present = [...replaced, ID_FILE, KEY_FILE].filter((name) => existsSync(path.join(dataDir, name)));
  if (present.length > 0) await mkdir(aside, { recursive: true, mode: 0o700 });
  for (const name of replaced)
    if (present.includes(name)) await rename(path.join(dataDir, name), path.join(aside, name));
  for (const name of [SQLITE_FILE, JOURNAL])
    if (existsSync(path.join(stage, name))) await rename(path.join(stage, name), path.join(dataDir, name));
  await placeMedia(path.join(stage, 'media'), path.join(dataDir, 'media'));
  for (const name of withKey ? [KEY_FILE, ID_FILE] : [ID_FILE]) {
    if (!existsSync(path.join(stage, name))) continue;
    if (present.includes(name)) await copyFile(path.join(dataDir, name), path.join(aside, name));
    await rename(path.join(stage, name), path.join(dataDir, name));
  }
  return present.length > 0 ? aside : undefined;
}

/** Result files have unique names, so those that are there already are the same. */
async function placeMedia(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true, recursive: true }).catch(() => []); // none in the archive
  for (const entry of entries.filter((each) => each.isFile())) {
    const file = path.join(entry.parentPath, entry.name);
    const target = path.join(to, path.relative(from, file));
    if (existsSync(target)) continue;
    await mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
    await rename(file, target);
  }
}

export interface RestoreOptions {
  archive: string;
  passphrase: string | undefined;
  /** Replaces an installation that is newer than the backup, or another one. */
  force: boolean;
}

export interface Restored {
  manifest: Manifest;
  /** Where the replaced files were moved to; undefined: there were none. */
  aside: string | undefined;
}

/**
 * Restores a backup. Everything is verified before anything is replaced, and replaced files are moved into a folder below
 * `dataDir`. Throws `BackupError`; nothing was changed then.
 */
export async function restoreBackup(target: RestoreTarget, options: RestoreOptions): Promise<Restored> {
  const { dataDir } = target;
  if (!existsSync(options.archive)) throw new BackupError(`There is no file ${options.archive}.`);
  const isNew = !existsSync(dataDir);
  ensureFolder(dataDir);
  const stage = await mkdtemp(path.join(dataDir, '.restore-'));
  try {
    const manifest = await unpack(stage, options);
    ensureFit(manifest, target);
    await ensureKey(manifest, stage, target);
    if (manifest.database === 'sqlite') await prepareSqlite(stage);
    const losses = await lossesOf(target, manifest, path.join(stage, SQLITE_FILE));
    if (losses.length > 0 && !options.force) throw wouldLose(dataDir, manifest, losses);
    if (manifest.database === 'postgres') await fillPostgres(target, manifest, path.join(stage, DUMP_FILE));
    const aside = await placeFiles(stage, dataDir, { withKey: target.secretKey === undefined });
    return { manifest, aside };
  } finally {
    await rm(stage, { recursive: true, force: true });
    // Leaves no trace of a refused restore into a new folder.
    if (isNew && (await readdir(dataDir)).length === 0) await rmdir(dataDir);
  }
}

async function unpack(stage: string, { archive, passphrase }: RestoreOptions): Promise<Manifest> {
  const source = createReadStream(archive, { highWaterMark: 256 * 1024 });
  try {
    const { manifest, files } = await openArchive(source, passphrase);
    for await (const { name, content } of files) {
      const file = path.join(stage, name);
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      await pipeline(content, createWriteStream(file, { flags: 'wx', mode: 0o600, flush: true }));
    }
    const needed = manifest.database === 'sqlite' ? SQLITE_FILE : DUMP_FILE;
    if (!existsSync(path.join(stage, needed))) throw new BackupError(`${needed} is missing in the archive.`);
    return manifest;
  } finally {
    source.destroy();
  }
}

function ensureFit({ database, schema, version }: Manifest, { databaseUrl }: RestoreTarget): void {
  if (database === 'sqlite' && databaseUrl !== undefined)
    throw new BackupError('The backup is of an SQLite database, and DATABASE_URL names a PostgreSQL one. Unset it.');
  if (database === 'postgres' && databaseUrl === undefined)
    throw new BackupError('The backup is of a PostgreSQL database. Set DATABASE_URL to an empty one.');
  const newer = newerThanThisBuild(schema);
  if (newer.length > 0)
    throw new BackupError(
      `The backup was made by a newer version (${version}, with ${newer[0]}). Restore it with that version.`,
    );
}

/** The key of SECRET_KEY, of the archive or of the folder, in this order, has to open the database's secrets. */
async function ensureKey({ key_check: check }: Manifest, stage: string, target: RestoreTarget): Promise<void> {
  if (check === '') return;
  const kept = async (folder: string) =>
    (await readFile(path.join(folder, KEY_FILE), 'utf8').catch(() => undefined))?.trim(); // not there
  if (target.secretKey !== undefined) {
    if (keyOpens(target.secretKey, check)) return;
    throw new BackupError('SECRET_KEY is not the data key of this backup.');
  }
  const key = (await kept(stage)) ?? (await kept(target.dataDir));
  if (key === undefined)
    throw new BackupError(
      `The archive has no data key, without which its keys cannot be read. Set SECRET_KEY, or put the ${KEY_FILE} of the old installation into ${target.dataDir}.`,
    );
  if (!keyOpens(key, check)) throw new BackupError(`The key in ${target.dataDir} is not the data key of this backup.`);
}

/** Checks the copy, and removes the processes that were running when it was made. */
async function prepareSqlite(stage: string): Promise<void> {
  const storage = openStorage({ databaseUrl: undefined, dataDir: stage });
  try {
    const { rows } = await sql<Record<string, unknown>>`pragma quick_check(1)`.execute(storage.db);
    const [found] = Object.values(rows[0] ?? {});
    if (found !== 'ok') throw new BackupError(`The database in the archive is damaged (${String(found)}).`);
    const foreign = await sql<{ name: string }>`${sql.raw(foreignInSqlite)}`.execute(storage.db);
    refuseForeign(foreign.rows.map(({ name }) => name));
    await storage.db.deleteFrom('nodes').execute();
  } finally {
    // Merges the WAL, so that the file alone is complete.
    await storage.close();
  }
}

async function fillPostgres({ databaseUrl }: RestoreTarget, manifest: Manifest, dump: string): Promise<void> {
  const { restorePostgres } = await import('./postgres-restore.ts');
  // `ensureFit` has refused an absent address.
  await restorePostgres(databaseUrl!, manifest, dump);
}

const wouldLose = (dataDir: string, { created_time: time }: Manifest, losses: readonly string[]): BackupError =>
  new BackupError(
    [
      `${dataDir} holds data that is not in the backup of ${new Date(time * 1000).toISOString()}:`,
      ...losses.map((line) => `  ${line}`),
      'Use --force to replace it. The files are then moved aside, not deleted.',
    ].join('\n'),
  );
