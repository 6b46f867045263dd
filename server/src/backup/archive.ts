import { createHash } from 'node:crypto';
import { createGunzip, createGzip, constants } from 'node:zlib';
import { pipeline } from 'node:stream/promises';
import { PassThrough, Readable, Writable } from 'node:stream';
import { createTarDecoder, createTarPacker, type ParsedTarEntry } from 'modern-tar';
import { asError } from '#caught-error.ts';
import { ageMagic, openAge, sealAge } from './age-file.ts';
import { BackupError } from './backup-error.ts';
import { ByteReader } from './byte-reader.ts';
import { type ArchivedFile, entryName, MANIFEST, manifest, type Manifest } from './manifest.ts';

/** A file for an archive; `content` has exactly `bytes` bytes. */
export interface ArchiveInput {
  name: string;
  bytes: number;
  content: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** What a manifest says besides the files. */
export type Facts = Omit<Manifest, 'files'>;

/**
 * A compressed tar archive of the files with a manifest at its end, encrypted if there is a passphrase. The consumer sets
 * the pace. Errors of the inputs are thrown to it.
 */
export function packArchive(
  inputs: AsyncIterable<ArchiveInput>,
  facts: Facts,
  passphrase: string | undefined,
): AsyncGenerator<Uint8Array, void> {
  const { readable, controller } = createTarPacker();
  const mtime = new Date(facts.created_time * 1000);
  const add = async ({ name, bytes, content }: ArchiveInput): Promise<ArchivedFile> => {
    const hash = createHash('sha256');
    const writer = controller.add({ name, size: bytes, mode: 0o600, mtime }).getWriter();
    for await (const chunk of content) {
      hash.update(chunk);
      await writer.write(chunk);
    }
    await writer.close();
    return { name, bytes, sha256: hash.digest('hex') };
  };
  const packing = (async () => {
    const files: ArchivedFile[] = [];
    for await (const input of inputs) files.push(await add(input));
    const text = Buffer.from(JSON.stringify({ ...facts, files } satisfies Manifest, undefined, 2));
    await add({ name: MANIFEST, bytes: text.length, content: [text] });
    controller.finalize();
  })();
  packing.catch((error: unknown) => controller.error(error));
  const gzip = createGzip({ level: constants.Z_BEST_SPEED });
  // Errors reach the consumer through the destroyed stream.
  pipeline(Readable.fromWeb(readable as never), gzip).catch(() => {});
  return passphrase === undefined ? plain(gzip) : sealAge(passphrase, gzip);
}

async function* plain(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  yield* chunks;
}

/** Receives an entry's name and content, and reads the content to its end. */
export type TakeEntry = (name: string, content: AsyncIterable<Uint8Array>) => Promise<void>;

/**
 * Reads an archive and gives each entry except the manifest to `take`, before it is verified. Returns the manifest after
 * everything was compared with it. Throws `BackupError`: no archive of Relay Hub, cut, changed, no or a wrong passphrase.
 */
export async function readArchive(
  chunks: AsyncIterable<Uint8Array>,
  passphrase: string | undefined,
  take: TakeEntry,
): Promise<Manifest> {
  const found = new Map<string, { bytes: number; sha256: string }>();
  let said: Manifest | undefined;
  try {
    for await (const { header, body } of entriesOf(await decoded(chunks, passphrase))) {
      const { name, type = 'file' } = header;
      if (said || type !== 'file' || !entryName.test(name) || found.has(name))
        throw new BackupError(`The archive holds something that is not part of a backup: ${name}.`);
      if (name === MANIFEST) {
        said = parseManifest(await textOf(body));
        continue;
      }
      const hash = createHash('sha256');
      let bytes = 0;
      await take(
        name,
        counted(body, (chunk) => void (hash.update(chunk), (bytes += chunk.length))),
      );
      found.set(name, { bytes, sha256: hash.digest('hex') });
    }
  } catch (error) {
    throw error instanceof BackupError ? error : new BackupError(`The archive is damaged (${asError(error).message}).`);
  }
  if (!said) throw new BackupError('The archive was cut: its manifest is missing.');
  for (const { name, bytes, sha256 } of said.files) {
    const actual = found.get(name);
    if (actual?.bytes !== bytes || actual.sha256 !== sha256)
      throw new BackupError(`${name} in the archive was changed.`);
    found.delete(name);
  }
  const [stranger] = found.keys();
  if (stranger !== undefined) throw new BackupError(`${stranger} is in the archive, but not in its manifest.`);
  return said;
}

/** The entries of a tar stream. Errors of the source are thrown. */
async function* entriesOf(tar: Readable): AsyncGenerator<ParsedTarEntry, void> {
  const decoder = createTarDecoder({ strict: true });
  const fed = pipeline(tar, Writable.fromWeb(decoder.writable as never));
  fed.catch(() => {});
  for await (const entry of decoder.readable) yield entry;
  await fed;
}

/** The tar stream within an archive. */
async function decoded(chunks: AsyncIterable<Uint8Array>, passphrase: string | undefined): Promise<Readable> {
  const reader = new ByteReader(chunks);
  const head = await reader.atMost(ageMagic.length);
  const whole = (async function* () {
    yield head;
    yield* reader.rest();
  })();
  if (!head.equals(ageMagic)) return gunzipped(whole, head);
  if (passphrase === undefined) throw new BackupError('The archive is encrypted: its passphrase is needed.');
  const opened = openAge(passphrase, whole);
  // The first piece now, so that a wrong passphrase is not reported as a damaged archive.
  const first = await opened.next();
  const start = first.value ?? Buffer.alloc(0);
  return gunzipped(
    (async function* () {
      yield start;
      yield* opened;
    })(),
    start,
  );
}

function gunzipped(chunks: AsyncIterable<Uint8Array>, head: Uint8Array): Readable {
  if (head[0] !== 0x1f || head[1] !== 0x8b) throw new BackupError('The file is not a backup of Relay Hub.');
  const out = new PassThrough();
  // Errors reach the reader through the destroyed stream.
  pipeline(chunks, createGunzip(), out).catch(() => {});
  return out;
}

async function* counted(chunks: AsyncIterable<Uint8Array>, note: (chunk: Uint8Array) => void) {
  for await (const chunk of chunks) {
    note(chunk);
    yield chunk;
  }
}

const MOST_MANIFEST = 64 * 1024 * 1024;

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MOST_MANIFEST) throw new BackupError('The manifest of the archive is too large.');
    kept.push(chunk);
  }
  return Buffer.concat(kept).toString('utf8');
}

function parseManifest(text: string): Manifest {
  const { product, format } = JSON.parse(text) as { product?: unknown; format?: unknown };
  if (product !== 'relay-hub') throw new BackupError('The file is not a backup of Relay Hub.');
  if (format !== 1) throw new BackupError('The backup was made by a newer version. Restore it with that version.');
  const parsed = manifest.safeParse(JSON.parse(text));
  if (!parsed.success) throw new BackupError('The manifest of the archive was changed.');
  return parsed.data;
}
