import { randomBytes } from 'node:crypto';
import { closeSync, copyFileSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';
import type { Kysely } from 'kysely';
import type { Tables } from '#db/tables.ts';
import type { RegisteredNode } from '#db/tables/site.ts';
import { checkDataKey } from '#start/first-start.ts';
import { openSecrets } from '#secrets.ts';
import { RotationError, rotateKey } from './rotate-key.ts';

export interface KeyChange {
  db: Kysely<Tables>;
  dataDir: string;
  /** The current key: SECRET_KEY, or the key in the file. */
  present: string;
  /** Whether the key is in the file; otherwise the operator keeps it and must name the next one. */
  inFile: boolean;
  next: string | undefined;
  isAlive(node: RegisteredNode): boolean;
}

export interface KeyChanged {
  secrets: number;
  /** An earlier run had changed the database already; only the file was left. */
  finished: boolean;
}

/**
 * Changes the data key of a database and the file that holds it. Safe to interrupt: the next key is written to disk
 * first, the database changes in one transaction, and the old key is replaced last. Running it again completes the
 * change. Throws `RotationError`.
 */
export async function changeDataKey(change: KeyChange): Promise<KeyChanged> {
  const { db, dataDir, present, inFile, next: named, isAlive } = change;
  const files = filesIn(dataDir);
  const next = inFile ? keptNext(files.next, named) : named;
  if (next === undefined || next.length < 32)
    throw new RotationError('Set NEW_SECRET_KEY to the next key, at least 32 characters long.');
  if (next === present) throw new RotationError('The next key equals the current key. Nothing was changed.');
  const isDone = await opens(db, next);
  if (!isDone && !(await opens(db, present)))
    throw new RotationError('Neither the current key nor the next key belongs to this database. Nothing was changed.');
  const secrets = isDone ? 0 : await rotateKey(db, openSecrets(present), openSecrets(next), isAlive);
  if (inFile) {
    copyFileSync(files.present, files.old);
    renameSync(files.next, files.present);
  }
  return { secrets, finished: isDone };
}

const filesIn = (dataDir: string) => {
  const present = path.join(dataDir, 'secret.key');
  return { present, next: `${present}.next`, old: `${present}.old` };
};

/** The next key that an earlier run wrote down, or a new key, synced to disk before anything depends on it. */
function keptNext(file: string, named: string | undefined): string {
  if (existsSync(file)) {
    const kept = readFileSync(file, 'utf8').trim();
    if (named !== undefined && named !== kept)
      throw new RotationError(`${file} holds the next key of an unfinished change. Run again without NEW_SECRET_KEY.`);
    if (kept.length >= 32) return kept;
  }
  const key = named ?? randomBytes(32).toString('base64url');
  const opened = openSync(file, 'w', 0o600);
  writeSync(opened, `${key}\n`);
  fsyncSync(opened);
  closeSync(opened);
  return key;
}

async function opens(db: Kysely<Tables>, key: string): Promise<boolean> {
  try {
    await checkDataKey(db, openSecrets(key));
    return true;
  } catch {
    return false;
  }
}
