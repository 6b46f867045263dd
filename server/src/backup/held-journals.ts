import { closeSync, fstatSync, openSync, readdirSync, createReadStream } from 'node:fs';
import path from 'node:path';
import type { ArchivedFile } from './archive.ts';

const copied = /^[\w.-]+\.(?:calls|journal|jsonl)$/;

/**
 * The journal files of a folder, kept open: a process deletes a file as soon as all its calls are in the database, which
 * may be after the snapshot.
 */
export class HeldJournals {
  readonly #folder: string;
  readonly #files = new Map<string, { fd: number; bytes: number }>();

  /** Call it before the snapshot is taken. */
  constructor(folder: string) {
    this.#folder = folder;
    this.#hold();
  }

  /**
   * Sets the end of each copy to the present size of its file. Call it immediately after the snapshot: no settlement is
   * then missing from both, and few belong to users that the snapshot does not have.
   */
  fix(): void {
    this.#hold();
    for (const file of this.#files.values()) file.bytes = fstatSync(file.fd).size;
  }

  *files(): Generator<ArchivedFile, void> {
    for (const [name, { fd, bytes }] of this.#files)
      yield {
        name: `journal/${name}`,
        bytes,
        content: bytes === 0 ? [] : createReadStream('', { fd, autoClose: false, start: 0, end: bytes - 1 }),
      };
  }

  close(): void {
    for (const { fd } of this.#files.values()) closeSync(fd);
    this.#files.clear();
  }

  #hold(): void {
    for (const name of namesIn(this.#folder)) {
      if (!copied.test(name) || this.#files.has(name)) continue;
      try {
        this.#files.set(name, { fd: openSync(path.join(this.#folder, name), 'r'), bytes: 0 });
      } catch {
        // Deleted since it was listed, so all of it is in the database.
      }
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
