import { createReadStream } from 'node:fs';
import { type ArchivedFile, openArchive, packArchive } from './archive.ts';
import { BackupError } from './backup-error.ts';
import { KEY_FILE, type Manifest } from './manifest.ts';

interface DownloadOptions {
  /** Of the stored archive; undefined: it is not encrypted. */
  stored: string | undefined;
  /** Of the download. */
  passphrase: string;
  secretKey: string;
}

/** The manifest of a stored archive. Throws `BackupError` if it cannot be opened. */
export async function peekArchive(file: string, stored: string | undefined): Promise<Manifest> {
  const source = createReadStream(file);
  try {
    return (await openArchive(source, stored)).manifest;
  } finally {
    source.destroy();
  }
}

/** A stored archive with the data key, encrypted with another passphrase. Ends with an error if the archive is damaged. */
export async function* downloadBackup(
  file: string,
  { stored, passphrase, secretKey }: DownloadOptions,
): AsyncGenerator<Uint8Array, void> {
  const { manifest, files } = await openArchive(createReadStream(file, { highWaterMark: 256 * 1024 }), stored);
  yield* packArchive(manifest, stored === undefined ? withKey(secretKey, files) : files, passphrase);
}

async function* withKey(secretKey: string, files: AsyncIterable<ArchivedFile>): AsyncGenerator<ArchivedFile, void> {
  const key = Buffer.from(`${secretKey}\n`);
  yield { name: KEY_FILE, bytes: key.length, content: [key] };
  for await (const each of files) {
    if (each.name === KEY_FILE) throw new BackupError('The archive was changed: it has a key and is not encrypted.');
    yield each;
  }
}
