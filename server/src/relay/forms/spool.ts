import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, mkdir, open, unlink } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { BodyClaim } from '#http/limits/body-memory.ts';
import { RelayError, serverBusy as noMemory } from '#relay/reply/relay-error.ts';
import { errorCode } from '#relay/body/error-code.ts';

/** Larger forms are written to disk. */
const IN_MEMORY = 256 * 1024;
const AT_ONCE = 64 * 1024;
/** Limit for all files: the database may be on the same disk. */
const MAX_DISK_BYTES = 1024 * 1024 * 1024;
/** Longer than it takes to unlink a file. */
const LEFT_OVER_MS = 60_000;

/** A range of the stored bytes, end exclusive, or other bytes. */
export type BodyPiece = Buffer | { start: number; end: number };

/** A body on disk; `open` can be called again. */
export interface StoredBody {
  length: number;
  open(): Readable;
}

/** Limits the disk space of large forms in this process. */
export class Spools {
  readonly folder: string;
  readonly #most: number;
  #used = 0;

  constructor(folder: string, most = MAX_DISK_BYTES) {
    this.folder = folder;
    this.#most = most;
    clearSpool(folder);
  }

  /** `claim`: memory accounting of a spool that is still in memory. */
  open(claim: BodyClaim): Spool {
    return new Spool(this, claim);
  }

  /** Throws a 503 if there is no room. */
  take(bytes: number): void {
    if (this.#used + bytes > this.#most) throw noRoom();
    this.#used += bytes;
  }

  release(bytes: number): void {
    this.#used -= bytes;
  }
}

const noRoom = (): RelayError =>
  new RelayError(503, 'The server has no room for further uploads. Try again soon.', {
    type: 'server_error',
    code: 'too_many_uploads',
    retryAfter: '5',
  });

/**
 * The bytes of a form until its call has ended, in memory while they are few. The file is unlinked at once, so the
 * system frees it even after a crash.
 */
export class Spool {
  readonly #spools: Spools;
  readonly #claim: BodyClaim;
  #claimed = 0;
  #pieces: Buffer[] = [];
  #file: FileHandle | undefined;
  /** Bytes on disk. */
  #written = 0;
  size = 0;

  constructor(spools: Spools, claim: BodyClaim) {
    this.#spools = spools;
    this.#claim = claim;
  }

  /** Throws a 503 without room in memory or on disk. */
  async add(piece: Buffer): Promise<void> {
    this.size += piece.length;
    if (this.#file) return this.#write(this.#file, piece);
    if (!this.#claim.grow(piece.length)) throw noMemory();
    this.#claimed += piece.length;
    this.#pieces.push(piece);
    if (this.size <= IN_MEMORY) return;
    this.#file = await openNameless(this.#spools.folder);
    await this.#write(this.#file, Buffer.concat(this.#pieces));
    this.#letGo();
  }

  #letGo(): void {
    this.#pieces = [];
    this.#claim.shrink(this.#claimed);
    this.#claimed = 0;
  }

  async #write(file: FileHandle, bytes: Buffer): Promise<void> {
    this.#spools.take(bytes.length);
    this.#written += bytes.length;
    try {
      for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    } catch (error) {
      throw errorCode(error) === 'ENOSPC' ? noRoom() : error;
    }
  }

  /** The given pieces, as a buffer while all are in memory. */
  assemble(pieces: readonly BodyPiece[]): Buffer | StoredBody {
    const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0);
    const file = this.#file;
    if (file) return { length, open: () => Readable.from(readPieces(file, pieces), { objectMode: false }) };
    const all = Buffer.concat(this.#pieces);
    return Buffer.concat(pieces.map((piece) => (isBytes(piece) ? piece : all.subarray(piece.start, piece.end))));
  }

  async close(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    this.#letGo();
    this.#spools.release(this.#written);
    this.#written = 0;
    await file?.close();
  }
}

const isBytes = (piece: BodyPiece): piece is Buffer => Buffer.isBuffer(piece);
const lengthOf = (piece: BodyPiece): number => (isBytes(piece) ? piece.length : piece.end - piece.start);

/** Private for the moment before it is unlinked. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = path.join(folder, randomUUID());
  const file = await open(name, 'wx+', 0o600);
  try {
    await unlink(name);
  } catch (error) {
    await file.close();
    throw error;
  }
  return file;
}

async function* readPieces(file: FileHandle, pieces: readonly BodyPiece[]): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    if (isBytes(piece)) {
      yield piece;
      continue;
    }
    for (let at = piece.start; at < piece.end;) {
      const length = Math.min(AT_ONCE, piece.end - at);
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(length), 0, length, at);
      if (bytesRead === 0) throw new Error('a spooled file is shorter than what was written');
      yield buffer.subarray(0, bytesRead);
      at += bytesRead;
    }
  }
}

export const spoolFolder = (dataDir: string): string => path.join(dataDir, 'spool');

/** Removes files of a process that was killed before it unlinked them. */
function clearSpool(folder: string): void {
  const now = Date.now();
  for (const name of namesIn(folder)) {
    const file = path.join(folder, name);
    const { mtimeMs = now } = statSync(file, { throwIfNoEntry: false }) ?? {};
    if (now - mtimeMs > LEFT_OVER_MS) rmSync(file, { force: true });
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no large form so far
  }
}
