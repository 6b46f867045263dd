import { createReadStream, createWriteStream, statfsSync, statSync } from 'node:fs';
import { mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { asError } from '#caught-error.ts';
import { makeFolder } from '#process/atomic-file.ts';
import { journalFolder } from '#quota/journal.ts';
import { version } from '#version.ts';
import { type ArchivedFile, packArchive } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { HeldJournals } from './held-journals.ts';
import { DUMP_FILE, entryName, ID_FILE, KEY_FILE, SQLITE_FILE } from './manifest.ts';
import type { Snapshot } from './snapshot.ts';
import { snapshotSqlite } from './sqlite-snapshot.ts';

/** The installation to copy. */
export interface BackupSource {
  dataDir: string;
  databaseUrl: string | undefined;
  secretKey: string;
}

export interface BackupOptions {
  /** Where the archive is written; created when missing. */
  folder: string;
  /** Encrypts the archive and adds the data key to it; undefined: neither. */
  passphrase: string | undefined;
  /** Also the stored result files of tasks. */
  media: boolean;
  /** Unix seconds. */
  now: number;
  /** Called with a share from 0 to 1. */
  progress?: (done: number) => void;
}

export interface WrittenBackup {
  /** Path of the archive. */
  file: string;
  bytes: number;
  /** For `pruneBackups`. */
  databaseId: string;
}

const STAGE = '.backup-';
/** Stages of broken-off backups are removed after this time. */
const ABANDONED_MS = 24 * 3600_000;

/**
 * Writes a consistent backup of an installation that may be in use. The archive appears under its name when it is
 * complete and on disk. Throws `BackupError`; nothing is left behind then.
 */
export async function writeBackup(source: BackupSource, options: BackupOptions): Promise<WrittenBackup> {
  const { folder, passphrase, now, progress = () => {} } = options;
  ensureFolder(folder);
  await removeAbandoned(folder);
  ensureSpace(source, folder);
  const stage = await mkdtemp(path.join(folder, STAGE));
  const journals = new HeldJournals(journalFolder(source.dataDir));
  try {
    const copy = path.join(stage, 'database');
    const taken = await snapshot(source, copy, { onSnapshot: () => journals.fix(), progress: (d) => progress(d / 2) });
    const { serverVersion, dumpVersion, databaseId, keyCheck, ...rest } = taken;
    const manifest = {
      product: 'relay-hub' as const,
      format: 1 as const,
      version,
      created_time: now,
      ...rest,
      database_id: databaseId,
      server_version: serverVersion,
      dump_version: dumpVersion,
      key_check: keyCheck,
    };
    const partial = path.join(stage, 'archive');
    const total = statSync(copy).size;
    const packed = (bytes: number) => progress(0.5 + bytes / (2 * total || 1));
    const files = filesOf(source, options, { taken, copy, journals, packed });
    const chunks = packArchive(manifest, files, passphrase);
    await pipeline(chunks, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }));
    const { size: bytes } = await stat(partial);
    const file = await freeName(folder, databaseId, now, passphrase !== undefined);
    await rename(partial, file);
    return { file, bytes, databaseId };
  } catch (error) {
    throw error instanceof BackupError ? error : new BackupError(`The backup failed: ${asError(error).message}.`);
  } finally {
    journals.close();
    await rm(stage, { recursive: true, force: true });
  }
}

async function snapshot(
  { dataDir, databaseUrl }: BackupSource,
  copy: string,
  more: { onSnapshot: () => void; progress: (done: number) => void },
): Promise<Snapshot> {
  if (databaseUrl === undefined) return snapshotSqlite(path.join(dataDir, SQLITE_FILE), copy, more);
  // The driver and the tools are needed here only.
  const { snapshotPostgres } = await import('./postgres-snapshot.ts');
  return snapshotPostgres(databaseUrl, copy, more.onSnapshot);
}

interface Parts {
  taken: Snapshot;
  copy: string;
  journals: HeldJournals;
  packed: (bytes: number) => void;
}

/** The small files first: a reader of the archive finds them without its end. */
async function* filesOf(
  { dataDir, secretKey }: BackupSource,
  { passphrase, media }: BackupOptions,
  { taken, copy, journals, packed }: Parts,
): AsyncGenerator<ArchivedFile, void> {
  const text = (name: string, content: string): ArchivedFile => {
    const bytes = Buffer.from(content);
    return { name, bytes: bytes.length, content: [bytes] };
  };
  if (passphrase !== undefined) yield text(KEY_FILE, `${secretKey}\n`);
  yield text(ID_FILE, `${taken.databaseId}\n`);
  yield* journals.files();
  const { size: bytes } = await stat(copy);
  const content = countedChunks(createReadStream(copy, { highWaterMark: 512 * 1024 }), packed);
  yield { name: taken.database === 'sqlite' ? SQLITE_FILE : DUMP_FILE, bytes, content };
  if (media) yield* mediaIn(path.join(dataDir, 'media'));
}

async function* countedChunks(chunks: AsyncIterable<Uint8Array>, note: (bytes: number) => void) {
  let bytes = 0;
  for await (const chunk of chunks) {
    note((bytes += chunk.length));
    yield chunk;
  }
}

/** Stored result files; those on their way into the store, and others, are left out. */
async function* mediaIn(folder: string): AsyncGenerator<ArchivedFile, void> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []); // nothing stored
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const name = `media/${path.relative(folder, file).replaceAll(path.sep, '/')}`;
    if (!entry.isFile() || !entryName.test(name)) continue;
    const opened = await open(file).catch(() => undefined); // removed meanwhile
    if (!opened) continue;
    try {
      const { size: bytes } = await opened.stat();
      yield { name, bytes, content: bytes === 0 ? [] : opened.createReadStream({ autoClose: false, end: bytes - 1 }) };
    } finally {
      await opened.close();
    }
  }
}

/** Creates the folder if it is missing. */
export function ensureFolder(folder: string): void {
  try {
    makeFolder(folder);
  } catch (error) {
    throw new BackupError(`The folder ${folder} cannot be used: ${asError(error).message}.`);
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const stage = path.join(folder, name);
    if (!name.startsWith(STAGE)) continue;
    const { mtimeMs = Infinity } = (await stat(stage).catch(() => undefined)) ?? {}; // removed meanwhile
    if (mtimeMs < Date.now() - ABANDONED_MS) await rm(stage, { recursive: true, force: true });
  }
}

/** SQLite needs room for a copy and for the archive; the size of a PostgreSQL dump is not known before. */
function ensureSpace({ dataDir, databaseUrl }: BackupSource, folder: string): void {
  if (databaseUrl !== undefined) return;
  const size = statSync(path.join(dataDir, SQLITE_FILE), { throwIfNoEntry: false })?.size ?? 0;
  const { bavail, bsize } = statfsSync(folder);
  const mib = (bytes: number): number => Math.ceil(bytes / 1024 / 1024);
  if (bavail * bsize < size * 1.5)
    throw new BackupError(
      `${folder} has ${mib(bavail * bsize)} MiB of free space, and a backup needs about ${mib(size * 1.5)} MiB.`,
    );
}

/** Databases of early versions have no id. */
const namedFor = (databaseId: string): string =>
  databaseId === '' ? 'relay-hub' : `relay-hub-${databaseId.slice(0, 8)}`;

/** Names of one installation's archives, in order of time. */
export const archiveName = (databaseId: string): RegExp =>
  new RegExp(`^${namedFor(databaseId)}-(\\d{8}T\\d{6}Z)(?:-\\d+)?\\.tar\\.gz(?:\\.age)?$`);

async function freeName(folder: string, id: string, now: number, encrypted: boolean): Promise<string> {
  const time = new Date(now * 1000).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  for (let number = 1; ; number++) {
    const name = `${namedFor(id)}-${time}${number === 1 ? '' : `-${number}`}.tar.gz${encrypted ? '.age' : ''}`;
    const file = path.join(folder, name);
    if (!(await stat(file).catch(() => undefined))) return file; // undefined: no such file
  }
}
