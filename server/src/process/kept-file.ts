import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a small file that is there whole or not at all, whatever ends the process or the machine, and readable by its
 * owner only. Returns false, and changes nothing, where it is there already.
 */
export function keepOnce(file: string, text: string): boolean {
  return withWritten(file, text, (written) => {
    try {
      linkSync(written, file);
      return true;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EEXIST') return false;
      // Some disks know no second name for a file: whoever is first makes it there, and it may be cut by a crash.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS' && code !== 'EOPNOTSUPP') throw error;
      return writtenOnce(file, text);
    }
  });
}

/** The same in place of whatever is there. */
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
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** The name of a file is on the disk when its folder is. Windows opens no folder, and writes names at once. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const opened = openSync(folder, 'r');
  try {
    fsyncSync(opened);
  } catch {
    // Not every disk can; the file itself is whole all the same.
  } finally {
    closeSync(opened);
  }
}
