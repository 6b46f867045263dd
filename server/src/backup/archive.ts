import { createHash } from 'node:crypto';
import { PassThrough, Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream, WritableStream } from 'node:stream/web';
import { constants, createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar';
import { asError } from '#caught-error.ts';
import { ageMagic, openAge, sealAge } from './age-file.ts';
import { BackupError } from './backup-error.ts';
import { ByteReader } from './byte-reader.ts';
import { entryName, MANIFEST, manifest, type Manifest, SUMS } from './manifest.ts';

/** A file in an archive; `content` has exactly `bytes` bytes. */
export interface ArchivedFile {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * A compressed tar archive of the manifest, the files and their hashes, encrypted if there is a passphrase. The consumer
 * sets the pace. Errors of the files are thrown to it.
 */
export function packArchive(
  said: Manifest,
  files: AsyncIterable<ArchivedFile>,
  passphrase: string | undefined,
): AsyncIterable<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const mtime = new Date(said.created_time * 1000);
  const add = async ({ name, bytes, content }: ArchivedFile): Promise<string> => {
    const hash = createHash('sha256');
    const writer = controller.add({ name, size: bytes, mode: 0o600, mtime }).getWriter();
    for await (const chunk of content) {
      hash.update(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    return `${hash.digest('hex')}  ${name}\n`;
  };
  const addText = (name: string, text: string): Promise<string> => {
    const bytes = Buffer.from(text);
    return add({ name, bytes: bytes.length, content: [bytes] });
  };
  const packing = (async () => {
    let sums = await addText(MANIFEST, `${JSON.stringify(said, undefined, 2)}\n`);
    for await (const file of files) sums += await add(file);
    await addText(SUMS, sums);
    controller.finalize();
  })();
  packing.catch((error: unknown) => controller.error(error));
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Errors reach the consumer through the destroyed stream.
  pipeline(Readable.fromWeb(readable as ReadableStream), gzip).catch(() => {});
  return passphrase === undefined ? gzip : sealAge(passphrase, gzip);
}

/** An archive that is being read. */
export interface OpenedArchive {
  manifest: Manifest;
  /**
   * The files in order; each must be read to its end before the next. They are not verified before the iteration ends
   * without an error.
   */
  files: AsyncIterable<ArchivedFile>;
}

/**
 * Opens an archive. It and its iteration throw `BackupError` for one that is not of Relay Hub, was cut or changed, or has
 * another passphrase.
 */
export async function openArchive(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string | undefined,
): Promise<OpenedArchive> {
  const sums = new Map<string, string>();
  const entries = explained(entriesOf(await decoded(chunks, passphrase), sums));
  const first = await entries.next();
  if (first.done || first.value.name !== MANIFEST) throw new BackupError('The file is not a backup of Relay Hub.');
  const said = parseManifest(await textOf(first.value.content));
  return {
    manifest: said,
    files: (async function* () {
      for await (const file of entries) {
        if (file.name !== SUMS) yield file;
        else compare(await textOf(file.content), sums);
      }
      if (!sums.has(SUMS)) throw new BackupError('The archive was cut: its hashes are missing.');
    })(),
  };
}

function compare(text: string, found: ReadonlyMap<string, string>): void {
  const said = new Map(
    text
      .trimEnd()
      .split('\n')
      .map((line) => [line.slice(66), line.slice(0, 64)]),
  );
  for (const [name, hash] of said)
    if (found.get(name) !== hash) throw new BackupError(`${name} in the archive was changed.`);
  for (const name of found.keys())
    if (name !== SUMS && !said.has(name)) throw new BackupError(`${name} was added to the archive.`);
}

/** Entries of a tar stream, whose hashes are added to `sums` as they are read. */
async function* entriesOf(tar: Readable, sums: Map<string, string>): AsyncGenerator<ArchivedFile, void> {
  for await (const { header, body } of tarEntries(tar)) {
    const { name, type = 'file', size } = header;
    if (type !== 'file' || !entryName.test(name) || sums.has(name) || sums.has(SUMS))
      throw new BackupError(`The archive holds something that is not part of a backup: ${name}.`);
    yield { name, bytes: size, content: hashed(explained(body), (hash) => void sums.set(name, hash)) };
  }
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, end: (hash: string) => void) {
  const hash = createHash('sha256');
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  end(hash.digest('hex'));
}

async function* tarEntries(tar: Readable): AsyncGenerator<ParsedTarEntry, void> {
  const decoder = createTarDecoder({ strict: true });
  const fed = pipeline(tar, Writable.fromWeb(decoder.writable as WritableStream));
  fed.catch(() => {});
  yield* decoder.readable;
  await fed;
}

/** Errors of the formats mean a damaged archive. */
async function* explained<T>(items: AsyncIterable<T>): AsyncGenerator<T, void> {
  try {
    yield* items;
  } catch (error) {
    throw error instanceof BackupError ? error : new BackupError(`The archive is damaged (${asError(error).message}).`);
  }
}

/** The tar stream within an archive. */
async function decoded(chunks: AsyncIterable<Uint8Array>, passphrase: string | undefined): Promise<Readable> {
  const reader = new ByteReader(chunks);
  const head = await reader.atMost(ageMagic.length);
  if (!head.equals(ageMagic)) return gunzipped(head, reader.rest());
  if (passphrase === undefined) throw new BackupError('The archive is encrypted: its passphrase is needed.');
  const opened = openAge(passphrase, joined(head, reader.rest()));
  // The first piece now, so that a wrong passphrase is not reported as a damaged archive.
  const { value: start } = await opened.next();
  return gunzipped(start ?? Buffer.alloc(0), opened);
}

function gunzipped(head: Buffer, rest: AsyncIterable<Uint8Array>): Readable {
  if (head[0] !== 0x1f || head[1] !== 0x8b) throw new BackupError('The file is not a backup of Relay Hub.');
  const out = new PassThrough();
  // Errors reach the reader through the destroyed stream.
  pipeline(joined(head, rest), createGunzip(), out).catch(() => {});
  return out;
}

async function* joined(head: Buffer, rest: AsyncIterable<Uint8Array>) {
  yield head;
  yield* rest;
}

const MOST_TEXT = 64 * 1024 * 1024;

async function textOf(chunks: ArchivedFile['content']): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MOST_TEXT) throw new BackupError('The archive was changed: a list in it is too large.');
    kept.push(chunk);
  }
  return Buffer.concat(kept).toString('utf8');
}

function parseManifest(text: string): Manifest {
  let said: { product?: unknown; format?: unknown };
  try {
    said = JSON.parse(text) as typeof said;
  } catch {
    throw new BackupError('The manifest of the archive was changed.');
  }
  if (said.product !== 'relay-hub') throw new BackupError('The file is not a backup of Relay Hub.');
  if (said.format !== 1) throw new BackupError('The backup was made by a newer version. Restore it with that version.');
  const parsed = manifest.safeParse(said);
  if (!parsed.success) throw new BackupError('The manifest of the archive was changed.');
  return parsed.data;
}
