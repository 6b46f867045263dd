import { codeOf } from '#caught-error.ts';
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * Creates a small file atomically and durably, readable by its owner only. Returns false, and changes nothing, if it
 * exists.
 */
export function keepOnce(file: string, text: string): boolean {
  return withWritten(file, text, (written) => {
    try {
      linkSync(written, file);
      return true;
    } catch (error) {
      const code = codeOf(error);
      if (code === 'EEXIST') return false;
      // Some file systems have no hard links. The first process creates the file there, and a crash may truncate it.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
      return writtenOnce(file, text);
    }
  });
}

/** As `keepOnce`, but replaces an existing file. */
export function keepInstead(file: string, text: string): void {
  withWritten(file, text, (written) => renameSync(written, file));
}

function withWritten<T>(file: string, text: string, place: (written: string) => T): T {
  const written = `${file}.${randomUUID()}`;
  try {
    write(written, text);
    const placed = place(written);
    syncFolder(path.dirname(file));
    return placed;
  } finally {
    rmSync(written, { force: true });
  }
}

function write(file: string, text: string): void {
  const opened = openSync(file, 'wx', 0o600);
  try {
    writeSync(opened, text);
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
}

function writtenOnce(file: string, text: string): boolean {
  try {
    write(file, text);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/**
 * A new file name is durable only after its folder is synced. Windows cannot open folders, and writes names at once.
 */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } catch {
    // Not every file system can; the file itself is complete anyway.
  } finally {
    closeSync(opened);
  }
}

/**
 * Creates a folder that an operator named, and its parents one by one, for its owner only. On file systems without
 * folders, such as /proc, Node's `recursive` option retries forever.
 */
export function makeFolder(folder: string): void {
  if (isFolder(folder)) return;
  if (path.dirname(folder) !== folder) makeFolder(path.dirname(folder));
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process created it at the same time.
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (name: string): boolean => statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false;
