import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rename } from 'node:fs/promises';
import path from 'node:path';
import { ID_FILE, KEY_FILE, SQLITE_FILE } from './manifest.ts';

const JOURNAL = 'journal';
/** Moved aside, in this order; SQLite's side files belong to the database they are next to. */
const replaced = [SQLITE_FILE, `${SQLITE_FILE}-wal`, `${SQLITE_FILE}-shm`, JOURNAL];

/**
 * Moves unpacked files into a data directory, and those they replace into a folder below it, whose path is returned;
 * undefined if there were none. `database.id` is replaced last: until then a start of the hub on the half-replaced
 * folder is refused, instead of beginning with an empty database.
 */
export async function placeFiles(
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
